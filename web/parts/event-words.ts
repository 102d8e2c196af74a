/** The types of events in words: the page asks the service's own table. */
import { type EventType, eventFacts } from "../../src/domain/event.ts";

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
