/**
 * The trouble of a destination, what happens next, and the buttons that help: on its alert's or assistant's page, and
 * on the overview. A destination that is well has no banner.
 */
import { ChevronDown, ChevronUp } from "lucide-react";
import { useState } from "react";
import type { TestAnswer } from "../../../src/dashboard/contract/alerts.ts";
import type { DestinationView } from "../../../src/dashboard/contract/destinations.ts";
import { useChange } from "../../query.ts";
import { useOwnersOnly } from "../../session.ts";
import { Banner, type BannerTone } from "../../ui/banner.tsx";
import { Button } from "../../ui/button.tsx";
import { IconButton } from "../../ui/icon-button.tsx";
import { LinkButton } from "../../ui/link-button.tsx";
import { useNow } from "../../ui/relative-time.tsx";
import { SendWaiting } from "./send-waiting.tsx";
import { waitingHref } from "./sending-words.ts";
import { tellHealth } from "./health-words.ts";
import { StateButton } from "./state-button.tsx";
import { useFolded } from "./use-folded.ts";

interface Props {
  readonly destination: DestinationView;
  /** Where the test's result can be shown in full; without it the banner says its first line. */
  readonly onTested?: (answer: TestAnswer) => void;
}

const TONES: Partial<Record<DestinationView["health"]["word"], BannerTone>> = {
  failing: "bad",
  off: "bad",
  paused: "warn",
  unsteady: "warn",
};

export function HealthBanner({ destination, onTested }: Props) {
  const story = tellHealth(destination, useNow());
  const { health, owner } = destination;
  const [isFolded, fold] = useFolded(`${destination.id} ${health.word} ${health.failingSinceMs ?? 0}`);
  const [result, setResult] = useState<TestAnswer | null>(null);
  if (story === null) return null;
  const tested = (answer: TestAnswer): void => {
    setResult(answer);
    onTested?.(answer);
  };
  return (
    <Banner
      tone={TONES[health.word] ?? "info"}
      title={
        <>
          <span className="font-semibold">{owner.name}:</span> {story.title}
        </>
      }
      actions={isFolded ? undefined : <Actions destination={destination} onTested={tested} />}
      fold={
        <IconButton
          label={isFolded ? "Say more" : "Fold"}
          icon={isFolded ? <ChevronDown /> : <ChevronUp />}
          aria-expanded={!isFolded}
          onClick={() => fold(!isFolded)}
        />
      }
      className={isFolded ? "py-1!" : ""}
    >
      {!isFolded && story.sentences.join(" ")}
      <p role="status" className="mt-1 font-medium text-ink empty:hidden">
        {result !== null && onTested === undefined && `Test: ${result.outcome.status}. ${result.outcome.sentence}`}
      </p>
    </Banner>
  );
}

interface ActionsProps {
  readonly destination: DestinationView;
  readonly onTested: (answer: TestAnswer) => void;
}

function Actions({ destination, onTested }: ActionsProps) {
  const { id, state } = destination;
  const disabledReason = useOwnersOnly("test, pause or turn on a webhook");
  return (
    <>
      {state === "on" && <SendTest id={id} onTested={onTested} disabledReason={disabledReason} />}
      <SendWaiting destination={destination} />
      {destination.health.waiting.count > 0 ? (
        <LinkButton size="sm" href={waitingHref(id)}>
          View what waits
        </LinkButton>
      ) : (
        <LinkButton size="sm" href={`/deliveries?destination=${id}&status=failed,retrying`}>
          View failures
        </LinkButton>
      )}
      <StateButton destination={destination} disabledReason={disabledReason} turnOnTone="primary" />
    </>
  );
}

interface SendTestProps {
  readonly id: string;
  readonly onTested: (answer: TestAnswer) => void;
  readonly disabledReason: string | undefined;
}

function SendTest({ id, onTested, disabledReason }: SendTestProps) {
  const test = useChange("POST /destinations/:id/test");
  return (
    <>
      <Button
        size="sm"
        isBusy={test.isPending}
        disabledReason={disabledReason}
        onClick={() => test.mutate({ params: { id } }, { onSuccess: onTested })}
      >
        Send test
      </Button>
      {test.error !== null && (
        <span role="alert" className="w-full text-sm text-bad">
          {test.error.message}
        </span>
      )}
    </>
  );
}
