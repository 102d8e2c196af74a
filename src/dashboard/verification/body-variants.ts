/**
 * The bodies that a text may have been before a program parsed it and wrote it again: the usual ways to write one JSON
 * value, and the usual damage at its ends. Pure. Numbers keep their digits wherever the text itself can be re-spaced.
 */
import { isDeepStrictEqual } from "node:util";
import { parseJson } from "../../events/exact-json.ts";
import { shortened } from "../explain/words.ts";

interface BodyVariant {
  readonly kind: "trimmed" | "reformatted";
  /** As the end of "It was sent …". */
  readonly how: string;
  readonly text: string;
}

/** Each variant is signed several times over: above this the check would hold up everybody else. Guess. */
const REFORMATTED_CHARS_MAX = 256 * 1024;

/** Writing JSON recurses, and pasted text may be nested deeper than a stack; our bodies have a handful of levels. */
const DEPTH_MAX = 100;

export function* bodyVariants(body: string): Generator<BodyVariant> {
  const trimmed = body.trim();
  yield { kind: "trimmed", how: "without the white space around it", text: trimmed };
  yield { kind: "trimmed", how: "without invisible characters", text: withoutHidden(body) };
  yield { kind: "trimmed", how: "with a line break at its end", text: `${body}\n` };
  yield { kind: "trimmed", how: "with a line break (CR LF) at its end", text: `${body}\r\n` };
  if (body.length > REFORMATTED_CHARS_MAX) return;
  yield { kind: "reformatted", how: "with plain line breaks (LF)", text: body.replace(/\r\n/g, "\n") };
  yield { kind: "reformatted", how: "with line breaks of two characters (CR LF)", text: toCrLf(body) };
  for (const [how, text] of writings(trimmed)) {
    yield { kind: "reformatted", how, text };
    yield { kind: "reformatted", how: `${how}, with a line break at its end`, text: `${text}\n` };
  }
}

/** A browser or a chat puts these into a text that is copied out of it. */
const withoutHidden = (text: string): string =>
  text.replaceAll(/[\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]/g, "").replaceAll("\u00a0", " ");

/** The same JSON value as other programs write it. */
function writings(text: string): readonly (readonly [how: string, text: string])[] {
  const parsed = parseJson(text);
  if (!parsed.ok || measureDepth(text) > DEPTH_MAX) return [];
  const { value } = parsed;
  const compact = withoutSpaces(text);
  const plain = withPlainCharacters(compact);
  return [
    ["without spaces and line breaks between its parts", compact],
    ["without spaces between its parts, with letters in place of \\u escapes", plain],
    ["without spaces between its parts, its numbers as JavaScript writes them", JSON.stringify(value)],
    ["with letters beyond ASCII as \\u escapes", asAscii(plain)],
    ["with slashes and letters beyond ASCII escaped, as PHP writes it", asAscii(plain).replaceAll("/", "\\/")],
    ["with a space behind each comma and colon", spaced(plain)],
    ["with a space behind each comma and colon, and letters beyond ASCII as \\u escapes", asAscii(spaced(plain))],
    ["indented by 2 spaces", JSON.stringify(value, null, 2)],
    ["indented by 4 spaces", JSON.stringify(value, null, 4)],
    ["indented by tabs", JSON.stringify(value, null, "\t")],
    ["with its keys sorted", JSON.stringify(sorted(value))],
  ];
}

function measureDepth(text: string): number {
  let depth = 0;
  let deepest = 0;
  for (const [mark] of text.matchAll(/"(?:\\.|[^"\\])*"|[[{\]}]/g)) {
    if (mark === "[" || mark === "{") deepest = Math.max(deepest, (depth += 1));
    else if (mark === "]" || mark === "}") depth -= 1;
  }
  return deepest;
}

const toCrLf = (text: string): string => text.replace(/\r?\n/g, "\r\n");

/** A string of JSON, or what is asked for outside of strings. */
const withoutSpaces = (text: string): string => text.replace(/("(?:\\.|[^"\\])*")|\s+/g, "$1");

const spaced = (compact: string): string =>
  compact.replace(/("(?:\\.|[^"\\])*")|([,:])/g, (_, string: string | undefined, mark: string) => string ?? `${mark} `);

function asAscii(text: string): string {
  return text.replace(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** Escapes that JSON does not need, as the letters they stand for. An escaped backslash is passed over as a pair. */
function withPlainCharacters(compact: string): string {
  return compact.replace(
    /\\(?:u([0-9a-f]{4})|(.))/gi,
    (escape, hex: string | undefined, letter: string | undefined) => {
      if (letter === "/") return "/";
      const code = hex === undefined ? 0 : Number.parseInt(hex, 16);
      return code >= 0x80 ? String.fromCharCode(code) : escape;
    },
  );
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(entries.map(([key, member]) => [key, sorted(member)]));
}

/* A body that somebody pasted beside the one that was sent: equal, equal but for its form, or another one. Pure. */

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
