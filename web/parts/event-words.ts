/** The types of events in words: the page asks the service's own table. */
import type { UnsentEvent } from "../../src/dashboard/contract/deliveries.ts";
import { eventFacts, type EventType } from "../../src/domain/event.ts";
import { count } from "../words.ts";

export const eventLabel = (type: EventType): string => eventFacts(type).label;

/** What an event tells about, as in "the session’s id". */
export const sourceWord = (type: EventType): string => eventFacts(type).noun;

/** "Session" */
export const sourceTitle = (type: EventType): string => sourceWord(type).replace(/^./, (first) => first.toUpperCase());

/** Where the record has its page; where it has none, what the log has of it. */
export function sourceHref(type: EventType, sourceId: string, assistantId: string | undefined): string {
  const { page, owner } = eventFacts(type);
  const id = encodeURIComponent(sourceId);
  if (page === null || (owner === "assistant" && assistantId === undefined)) return `/deliveries?q=${id}`;
  return page.replace(":assistant", encodeURIComponent(assistantId ?? "")).replace(":id", id);
}

/* Sessions and conversations that match a search and that nothing was sent for, counted in a sentence. Pure. */

/** "1 session matches, but no webhook was sent for it." */
export function unsentInWords(unsent: readonly Pick<UnsentEvent, "eventType">[]): string {
  const kinds = Object.entries(Object.groupBy(unsent, ({ eventType }) => sourceWord(eventType)));
  const counted = kinds.map(([word, events = []]) => count(events.length, word)).join(" and ");
  return unsent.length === 1
    ? `${counted} matches, but no webhook was sent for it.`
    : `${counted} match, but no webhook was sent for them.`;
}
