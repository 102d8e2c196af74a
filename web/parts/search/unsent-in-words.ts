/** Sessions and conversations that match a search and that nothing was sent for, counted in a sentence. Pure. */
import type { UnsentEvent } from "../../../src/dashboard/contract/deliveries.ts";
import { count } from "../../words.ts";
import { sourceWord } from "../event-words.ts";

/** "1 session matches, but no webhook was sent for it." */
export function unsentInWords(unsent: readonly Pick<UnsentEvent, "eventType">[]): string {
  const kinds = Object.entries(Object.groupBy(unsent, ({ eventType }) => sourceWord(eventType)));
  const counted = kinds.map(([word, events = []]) => count(events.length, word)).join(" and ");
  return unsent.length === 1
    ? `${counted} matches, but no webhook was sent for it.`
    : `${counted} match, but no webhook was sent for them.`;
}
