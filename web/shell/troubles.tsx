/**
 * Destinations that fail or were turned off, on every page but the overview and their own: one slim line that names
 * each and its host, and below it the last answer, how many wait, when the next attempt is, and what helps. It folds,
 * and stays folded until the trouble is another one. On a phone it is folded until somebody asks for more: there it
 * would take a third of every page.
 */
import { ChevronDown, ChevronUp, CircleAlert } from "lucide-react";
import { useLocation } from "wouter";
import type { DestinationView } from "../../src/dashboard/contract/destinations.ts";
import { ownerPage } from "../../src/domain/event.ts";
import { parseHost, tellHealth } from "../parts/health/health-words.ts";
import { SendWaiting, useFolded } from "../parts/health/health-banner.tsx";
import { useMedia } from "../ui/use-media.ts";
import { useAnswer } from "../query.ts";
import { IconButton } from "../ui/button.tsx";
import { useNow } from "../ui/relative-time.tsx";
import { TextLink } from "../ui/links.tsx";
import { count } from "../words.ts";

const NAMED_MAX = 5;

export function Troubles() {
  const { data } = useAnswer("GET /destinations");
  const [path] = useLocation();
  // The overview has a banner for each of them, with what to do, and so has the page of the one it is about.
  const elsewhere = (data?.destinations ?? []).filter(({ owner }) => ownerPage(owner) !== path);
  const troubled = path === "/" ? [] : elsewhere.filter(isTroubled);
  return troubled.length === 0 ? null : <Line troubled={troubled} />;
}

function Line({ troubled }: { readonly troubled: readonly DestinationView[] }) {
  const isPhone = useMedia("(max-width: 40rem)");
  const about = troubled.map(toTrouble).toSorted().join(" ");
  const [isMarked, mark] = useFolded(isPhone ? `unfolded ${about}` : about);
  const isFolded = isMarked !== isPhone;
  const fold = (isNext: boolean): void => mark(isNext !== isPhone);
  const [only, second] = troubled;
  const isOne = only !== undefined && second === undefined;
  return (
    <section
      aria-label="Webhooks that need attention"
      className="mb-5 rounded-lg border border-bad-mark/40 bg-bad-soft py-1 pr-1 pl-3"
    >
      <div className="flex items-center gap-2.5">
        <CircleAlert aria-hidden="true" className="size-4 shrink-0 text-bad" />
        <p className="flex min-w-0 flex-1 gap-x-1 font-medium text-ink">
          {isOne ? (
            <>
              {/* A long name is cut, and not what is the matter. */}
              <span className="min-w-0 truncate">
                <TextLink href={ownerPage(only.owner)}>{only.owner.name}</TextLink>
              </span>{" "}
              <span className="shrink-0">{toMatter(only)}</span>{" "}
              <span className="min-w-0 truncate max-sm:hidden">({parseHost(only.url)})</span>
            </>
          ) : (
            `${count(troubled.length, "webhook")} need attention`
          )}
        </p>
        <IconButton
          label={isFolded ? "Say more" : "Fold"}
          icon={isFolded ? <ChevronDown /> : <ChevronUp />}
          aria-expanded={!isFolded}
          onClick={() => fold(!isFolded)}
        />
      </div>
      {!isFolded && (
        <ul className="space-y-1.5 pr-2 pb-1.5 pl-6.5 text-sm text-ink-soft [overflow-wrap:anywhere]">
          {troubled.slice(0, NAMED_MAX).map((destination) => (
            <Trouble key={destination.id} destination={destination} isNamed={!isOne} />
          ))}
          {troubled.length > NAMED_MAX && <li>And {troubled.length - NAMED_MAX} more.</li>}
        </ul>
      )}
    </section>
  );
}

function Trouble({ destination, isNamed }: { readonly destination: DestinationView; readonly isNamed: boolean }) {
  const sentences = tellHealth(destination, useNow())?.sentences ?? [];
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-1.5">
      <span className="min-w-0 flex-1 basis-64">
        {isNamed && (
          <>
            <TextLink href={ownerPage(destination.owner)}>{destination.owner.name}</TextLink> {toHeadline(destination)}
            .{" "}
          </>
        )}
        {sentences.slice(0, 2).join(" ")}
      </span>
      <SendWaiting destination={destination} />
    </li>
  );
}

const toMatter = ({ state }: DestinationView): string => (state === "off" ? "is turned off" : "is failing");

const toHeadline = (destination: DestinationView): string => `${toMatter(destination)} (${parseHost(destination.url)})`;

const toTrouble = ({ id, health }: DestinationView): string =>
  `${id}@${health.failingSinceMs ?? health.changed?.atMs ?? 0}`;

const isTroubled = ({ health, owner }: DestinationView): boolean =>
  !owner.isDeleted && (health.word === "failing" || health.word === "off");
