/**
 * Who and what an event is about, as rows of lists get it: from the index of search, which has it ready, or for the
 * second until the event is in there from its body. A page has fifty rows, and a body up to 1 MiB.
 */
import { NO_ABOUT } from "../../../domain/event.ts";
import type { Readers } from "../../../events/event-type.ts";
import type { EventTypes } from "../../../events/event-types.ts";
import { type Summary, readSummary } from "../../../events/summary.ts";
import type { ListedEvent, StoredEvent } from "../../contract/log.ts";
import type { Flag } from "../transaction.ts";

/** Fifty of these are parsed in some 15 ms. What a larger one is about shows when it is in the index. */
const SMALL_BODY_BYTES = 64 * 1024;

/** For the event `e` and its entry `s`, which may be missing. */
export const SUMMARY_COLUMNS = `s.event_id is not null as "isIndexed", s.who, s.what, s.intent_level as "intentLevel",
    octet_length(e.body) = 0 as "isPurged",
    case when s.event_id is null and octet_length(e.body) <= ${SMALL_BODY_BYTES} then e.body end as body`;

export interface SummaryRow {
  readonly isIndexed: Flag;
  readonly who: string | null;
  readonly what: string | null;
  readonly intentLevel: string | null;
  readonly isPurged: Flag;
  readonly body: string | null;
  readonly type: string;
}

const NO_SUMMARY: Summary = { about: NO_ABOUT, intentLevel: "" };

export function summaryOf(
  readers: Readers,
  { isIndexed, who, what, intentLevel, isPurged, body }: Omit<SummaryRow, "type">,
): Summary {
  if (isPurged) return NO_SUMMARY;
  return isIndexed ? { about: { who, what }, intentLevel: intentLevel ?? "" } : readSummary(readers, body);
}

export type EventRow = Omit<ListedEvent, "about" | "intentLevel" | "isPurged"> & SummaryRow;

export function toListedEvent(
  types: EventTypes,
  { isIndexed, who, what, intentLevel, isPurged, body, ...event }: EventRow,
): ListedEvent {
  const summary = summaryOf(types.read(event.type), { isIndexed, who, what, intentLevel, isPurged, body });
  return { ...event, ...summary, isPurged: Boolean(isPurged) };
}

export const toStoredEvent = (types: EventTypes, event: ListedEvent, body: string | null): StoredEvent => ({
  ...event,
  ...readSummary(types.read(event.type), body),
  body,
});
