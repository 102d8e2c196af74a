/** A body that somebody pasted beside the one that was sent: equal, equal but for its form, or another one. Pure. */
import { isDeepStrictEqual } from "node:util";
import { parseJson } from "../../events/exact-json.ts";
import { shortened } from "../explain/shortened.ts";

export type Compared =
  | { readonly kind: "same" | "trimmed" }
  | { readonly kind: "reformatted" | "other"; readonly difference: string };

export function compareBodies(pasted: string, sent: string): Compared {
  if (pasted === sent) return { kind: "same" };
  if (pasted.trim() === sent.trim()) return { kind: "trimmed" };
  return { kind: isSameJson(pasted, sent) ? "reformatted" : "other", difference: firstDifference(pasted, sent) };
}

function isSameJson(one: string, other: string): boolean {
  const [a, b] = [parseJson(one), parseJson(other)];
  return a.ok && b.ok && isDeepStrictEqual(a.value, b.value);
}

/** Enough of both around the first difference to see what it is. */
const CHARS_BEFORE = 8;
const CHARS_SHOWN = 24;

function firstDifference(pasted: string, sent: string): string {
  let place = 0;
  while (place < pasted.length && pasted[place] === sent[place]) place += 1;
  return `at character ${place + 1} we sent ${excerpt(sent, place)}, and pasted is ${excerpt(pasted, place)}`;
}

function excerpt(text: string, place: number): string {
  if (place >= text.length) return "the end";
  const from = Math.max(0, place - CHARS_BEFORE);
  return JSON.stringify(shortened(text.slice(from), CHARS_SHOWN));
}
