/**
 * The types of events in words, as the service calls them. They are the same for as long as a page is open, so they are
 * told once, before anything is drawn, and asked for everywhere.
 */
import type { UnsentEvent } from "../../src/dashboard/contract/deliveries.ts";
import type { About, EventWords } from "../../src/domain/event.ts";
import { count, upperFirst } from "../words.ts";

/** The service's `EVENT_PAGE`: for events whose type has no page of its own. */
const EVENT_PAGE = "/audience/events/:type/:id";

let known: ReadonlyMap<string, EventWords> = new Map();

export function knowEventTypes(types: readonly EventWords[]): void {
  known = new Map(types.map((each) => [each.type, each]));
}

/** One that nobody declares any more is called by its name. */
export const eventWords = (type: string): EventWords =>
  known.get(type) ?? { type, title: type, noun: "event", unnamed: type, page: EVENT_PAGE, owners: [] };

export const eventLabel = (type: string): string => eventWords(type).title;

/** What an event tells about, as in "the session’s id". */
export const sourceWord = (type: string): string => eventWords(type).noun;

/** What somebody did at the product's, and no event of the product's own. */
const isOfVisitor = (type: string): boolean => sourceWord(type) !== "event";

interface Titled {
  readonly type: string;
  /** `null` for a test. */
  readonly sourceId: string | null;
  readonly about: About;
}

/** What a row is called by: who it is about, and else its key. A session or conversation has somebody, known or not. */
export function titleOf({ type, sourceId, about: { who, what } }: Titled): string {
  if (who !== null) return who;
  // A purged payload leaves the key only.
  return isOfVisitor(type) && what !== null ? "Unknown visitor" : (sourceId ?? eventLabel(type));
}

/** "Session" */
export const sourceTitle = (type: string): string => upperFirst(sourceWord(type));

/** What it is, in a word: "Session", or the title of a type of the product's own. */
export const kindTitle = (type: string): string => (isOfVisitor(type) ? sourceTitle(type) : eventLabel(type));

/** What names the event beside its own id: the "Session id", or the key of one that tells of nothing else. */
export const keyTitle = (type: string): string => (sourceWord(type) === "event" ? "Key" : `${sourceTitle(type)} id`);

/** Where the event has its page; without the assistant that is in the address, what the log has of it. */
export function sourceHref(type: string, sourceId: string, assistantId: string | undefined): string {
  const { page } = eventWords(type);
  const id = encodeURIComponent(sourceId);
  if (page.includes(":assistant") && assistantId === undefined) return `/deliveries?q=${id}`;
  return page
    .replace(":assistant", encodeURIComponent(assistantId ?? ""))
    .replace(":type", encodeURIComponent(type))
    .replace(":id", id);
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
