/** One banner for each trouble (troubles.ts), the worst first; the others are counted. */
import { Suspense, useState } from "react";
import type { DestinationView } from "../../../src/dashboard/contract/destinations.ts";
import { Banner } from "../../ui/banner.tsx";
import { Button, LinkButton } from "../../ui/button.tsx";
import { TextLink } from "../../ui/links.tsx";
import { useNow } from "../../ui/relative-time.tsx";
import { count } from "../../words.ts";
import { SendAll } from "./send-waiting.tsx";
import {
  findTroubles,
  followTroubles,
  type ShownTrouble,
  toPlace,
  troubleHref,
  troubleSentences,
  troubleTitle,
} from "./troubles.ts";
import { onDemand } from "../../later.ts";

/** Fetched only when there is something to say. */
const HealthBanner = onDemand(() => import("./health-banner.tsx"), "HealthBanner");

const BANNERS_MAX = 3;

export function TroubleBanners({ destinations }: { readonly destinations: readonly DestinationView[] }) {
  const [seen, setSeen] = useState(destinations);
  const [shown, setShown] = useState(() => followTroubles([], findTroubles(destinations)));
  if (seen !== destinations) {
    setSeen(destinations);
    setShown(followTroubles(shown, findTroubles(destinations)));
  }
  const others = shown.slice(BANNERS_MAX).reduce((sum, trouble) => sum + trouble.destinations.length, 0);
  return (
    <Suspense>
      {shown.slice(0, BANNERS_MAX).map((trouble) => (
        <TroubleBanner
          key={toPlace(trouble)}
          trouble={trouble}
          onClose={() => setShown(shown.filter((each) => each !== trouble))}
        />
      ))}
      {others > 0 && (
        <p className="text-ink-soft">
          <TextLink href="/destinations?show=failing">{count(others, "more webhook")}</TextLink> that need attention.
        </p>
      )}
    </Suspense>
  );
}

interface TroubleBannerProps {
  readonly trouble: ShownTrouble;
  readonly onClose: () => void;
}

function TroubleBanner({ trouble, onClose }: TroubleBannerProps) {
  const nowMs = useNow();
  const { host, destinations, isGroup, isOver } = trouble;
  const [only] = destinations;
  if (!isGroup) return <HealthBanner destination={only} />;
  return (
    <Banner
      tone={isOver ? "ok" : "bad"}
      title={isOver ? `None of these webhooks to ${host} is failing now` : troubleTitle(trouble)}
      actions={
        <>
          <SendAll trouble={trouble} isOver={isOver} />
          {isOver ? (
            <Button size="sm" onClick={onClose}>
              Close
            </Button>
          ) : (
            // Without a number: the list is found by words, which others may have too.
            <LinkButton size="sm" href={troubleHref(trouble)}>
              View in the list
            </LinkButton>
          )}
        </>
      }
    >
      {isOver ? "This line stays until you close it or leave the page." : troubleSentences(trouble, nowMs)}
    </Banner>
  );
}
