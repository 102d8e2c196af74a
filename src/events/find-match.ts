/** Why an event was found: the text that a query's phrases stand in, short enough for a row, with them marked. Pure. */
import { findEach, type Phrase, type Range } from "../domain/search-words.ts";
import type { SearchedText } from "./event-type.ts";

export interface Match {
  readonly field: string;
  /** As it came in, so it is text and never markup. */
  readonly text: string;
  /** Where the phrases stand in it, in order and apart from each other. */
  readonly ranges: readonly (readonly [from: number, to: number])[];
}

/** A row's width, about. */
const TEXT_CHARS_MAX = 120;
const BEFORE_CHARS = 40;

/** The text with the most phrases, of several the first. `null`: none has any. */
export function findMatch(texts: readonly SearchedText[], phrases: readonly Phrase[]): Match | null {
  let best: { readonly searched: SearchedText; readonly ranges: readonly Range[]; readonly count: number } | null =
    null;
  for (const searched of texts) {
    const found = findEach(searched.text, phrases);
    if (found.count > (best?.count ?? 0)) best = { searched, ...found };
    if (best?.count === phrases.length) break;
  }
  return best === null ? null : toMatch(best.searched, best.ranges);
}

function toMatch({ field, text }: SearchedText, ranges: readonly Range[]): Match {
  const [from, to] = findWindow(text, ranges[0]?.[0] ?? 0);
  const cut = text.slice(from, to);
  const start = from > 0 ? "…" : "";
  const shift = start.length - from;
  const shown = ranges.filter((range) => range[0] >= from && range[1] <= to);
  return {
    field,
    text: `${start}${cut.replaceAll(/\s/g, " ")}${to < text.length ? "…" : ""}`,
    ranges: shown.map((range) => [range[0] + shift, range[1] + shift]),
  };
}

/** Around the first match, from a word's beginning where one is near. */
function findWindow(text: string, matchFrom: number): [from: number, to: number] {
  if (text.length <= TEXT_CHARS_MAX) return [0, text.length];
  const about = Math.max(0, matchFrom - BEFORE_CHARS);
  const space = text.slice(about, matchFrom).search(/\s/);
  const from = about === 0 ? 0 : space === -1 ? matchFrom : about + space + 1;
  const to = Math.min(text.length, from + TEXT_CHARS_MAX);
  // Never through the middle of a character.
  return [from, /[\uD800-\uDBFF]/.test(text.charAt(to - 1)) ? to - 1 : to];
}
