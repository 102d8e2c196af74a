/** The columns of events: who and what first, then intent and what became of the webhooks. */
import { Check, Clock, Minus, X } from "lucide-react";
import { createContext, useContext } from "react";
import type { NotSentView } from "../../../src/dashboard/contract/conditions.ts";
import type { EventRow } from "../../../src/dashboard/contract/deliveries.ts";
import { IntentMark, StatusChip } from "../../ui/chips.tsx";
import { CutBehind } from "../../ui/cut-behind.tsx";
import { Cut } from "../../ui/cut.tsx";
import type { Column } from "../../ui/data-table.tsx";
import { RelativeTime } from "../../ui/relative-time.tsx";
import { useMedia } from "../../ui/use-media.ts";
import { Found, MatchLine } from "../search/search-notes.tsx";
import { useMarks } from "../tell-apart.ts";
import { deliveryCounts, notSentInWords } from "./event-list-words.ts";
import { eventLabel, eventWords, titleOf } from "../event-words.ts";

const WHO: Column<EventRow> = {
  id: "who",
  header: "Visitor",
  isMain: true,
  // Takes what is left, and cuts what is longer.
  className: "w-full max-w-0",
  cell: (row) => (
    <>
      <Cut>
        <Found id={row.eventId} text={titleOf(row)} />
      </Cut>
      <Cut className="text-sm font-normal text-ink-soft">{whatOf(row)}</Cut>
      <MatchLine id={row.eventId} name={row.about.who} />
      <NotSentLine id={row.eventId} />
    </>
  ),
};

/** In a list of all types each row says its own. */
const EVENT: Column<EventRow> = {
  id: "event",
  header: "Event",
  isMain: true,
  className: "w-full max-w-0",
  cell: (row) => {
    const { about, type, sourceId, isPurged, eventId } = row;
    const below = isPurged ? "deleted after its retention time" : about.what;
    return (
      <>
        <Cut>
          <Found id={eventId} text={titleOf({ type, sourceId, about })} />
        </Cut>
        <CutBehind label={eventLabel(type)}>{below}</CutBehind>
        <MatchLine id={eventId} name={titleOf({ type, sourceId, about })} />
        <NotSentLine id={eventId} />
      </>
    );
  },
};

const OUTCOME: readonly Column<EventRow>[] = [
  { id: "deliveries", header: "Webhooks", cell: ({ deliveries }) => <DeliveryCounts counts={deliveries} /> },
  {
    id: "time",
    header: "Accepted",
    align: "end",
    cell: ({ acceptedAtMs }) => <RelativeTime atMs={acceptedAtMs} />,
  },
];

const COLUMNS: readonly Column<EventRow>[] = [
  WHO,
  {
    id: "intent",
    header: "Intent",
    cell: ({ intentLevel }) =>
      intentLevel === "" ? <span className="text-ink-faint">Unknown</span> : <IntentMark level={intentLevel} />,
  },
  ...OUTCOME,
];

/** On a phone a row takes two lines. */
const NARROW: readonly Column<EventRow>[] = [
  {
    id: "outcome",
    header: "Webhooks",
    align: "end",
    cell: ({ deliveries, acceptedAtMs }) => (
      <>
        <DeliveryCounts counts={deliveries} />
        <span className="mt-0.5 block text-xs text-ink-soft">
          <RelativeTime atMs={acceptedAtMs} />
        </span>
      </>
    ),
  },
];

const OF = {
  visitor: { wide: COLUMNS, narrow: [WHO, ...NARROW] },
  event: { wide: [EVENT, ...OUTCOME], narrow: [EVENT, ...NARROW] },
} as const;

/** By what a row is about first. */
export function useEventColumns(about: keyof typeof OF): readonly Column<EventRow>[] {
  return OF[about][useMedia("(max-width: 40rem)") ? "narrow" : "wide"];
}

function whatOf({ about, isPurged, type }: EventRow): string {
  if (about.what !== null) return about.what;
  if (isPurged) return "Deleted after its retention time";
  return eventWords(type).unnamed;
}

/* The outcome of an event's deliveries as a chip: "2 delivered", "1 of 2 failed", "3 not delivered". */

function DeliveryCounts({ counts }: { readonly counts: EventRow["deliveries"] }) {
  const { words, tone } = deliveryCounts(counts);
  if (tone === "ok") return <StatusChip word={words} tone="ok" icon={Check} />;
  if (tone === "bad") return <StatusChip word={words} tone="bad" icon={X} />;
  return (
    <StatusChip word={words} tone={counts.total === 0 ? "neutral" : "info"} icon={counts.total === 0 ? Minus : Clock} />
  );
}

/* Why a row's session or conversation did not go to a webhook, in the list that is filtered by it. */

/** The reasons of the list around a row. */
export const Reasons = createContext<Readonly<Record<string, NotSentView>>>({});

function NotSentLine({ id }: { readonly id: string }) {
  const reasons = useContext(Reasons)[id];
  const marks = useMarks();
  if (reasons === undefined) return null;
  return (
    <span className="mt-0.5 line-clamp-6 text-sm font-normal text-ink-soft sm:line-clamp-3">
      {notSentInWords(reasons, marks)}
    </span>
  );
}
