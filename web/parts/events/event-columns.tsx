/** The columns of sessions and conversations: who and what first, then intent and what became of the webhooks. */
import type { EventRow } from "../../../src/dashboard/contract/deliveries.ts";
import { eventFacts } from "../../../src/domain/event.ts";
import type { Column } from "../../ui/data-table.tsx";
import { RelativeTime } from "../../ui/relative-time.tsx";
import { IntentMark } from "../../ui/intent-mark.tsx";
import { MatchLine } from "../search/match-line.tsx";
import { useMedia } from "../use-media.ts";
import { DeliveryCounts } from "./delivery-counts.tsx";
import { NotSentLine } from "./not-sent-line.tsx";

const WHO: Column<EventRow> = {
  id: "who",
  header: "Visitor",
  isMain: true,
  // Takes what is left, and cuts what is longer.
  className: "w-full max-w-0",
  cell: (row) => (
    <>
      <span className="block truncate">{row.about.who ?? (row.isPurged ? row.sourceId : "Unknown visitor")}</span>
      <span className="block truncate text-sm font-normal text-ink-soft">{whatOf(row)}</span>
      <MatchLine id={row.eventId} />
      <NotSentLine id={row.eventId} />
    </>
  ),
};

const COLUMNS: readonly Column<EventRow>[] = [
  WHO,
  {
    id: "intent",
    header: "Intent",
    cell: ({ intentLevel }) =>
      intentLevel === "" ? <span className="text-ink-faint">Unknown</span> : <IntentMark level={intentLevel} />,
  },
  { id: "deliveries", header: "Webhooks", cell: ({ deliveries }) => <DeliveryCounts counts={deliveries} /> },
  {
    id: "time",
    header: "Accepted",
    align: "end",
    cell: ({ acceptedAtMs }) => <RelativeTime atMs={acceptedAtMs} />,
  },
];

/** On a phone a row takes two lines. */
const NARROW: readonly Column<EventRow>[] = [
  WHO,
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

export function useEventColumns(): readonly Column<EventRow>[] {
  return useMedia("(max-width: 40rem)") ? NARROW : COLUMNS;
}

function whatOf({ about, isPurged, type }: EventRow): string {
  if (about.what !== null) return about.what;
  if (isPurged) return "Deleted after its retention time";
  return eventFacts(type).unnamed;
}
