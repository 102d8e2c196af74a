/** Finds a field's value in a body, wherever the field stands in it: `city` is `location.city`. Pure. */
import { type FieldValue, foldValue, isSameNumber } from "../domain/field-values.ts";
import { parseBody, writtenNumber } from "./exact-json.ts";
import type { Match } from "./find-match.ts";

/** A row's width, about. */
const TEXT_CHARS_MAX = 120;

/** Where the first of the values stands; `null` where one of them does not. */
export function findFields(body: string, wanted: readonly FieldValue[]): Match | null {
  const parsed = parseBody(body);
  return parsed.ok ? findIn(parsed.value, wanted) : null;
}

/** Walks once for all values, and ends at the last that was missing. */
export function findIn(value: unknown, wanted: readonly FieldValue[]): Match | null {
  const missing = new Map(wanted.map((each) => [each, `.${each.field.toLowerCase()}`]));
  let first: Match | null = null;
  for (const leaf of listLeaves(value)) {
    for (const [each, end] of missing) {
      if (!leaf.lowerPath.endsWith(end) || !hasValue(leaf.text, each)) continue;
      missing.delete(each);
      if (each === wanted[0]) first = toMatch(leaf);
    }
    if (missing.size === 0) return first;
  }
  return null;
}

interface Leaf {
  /** The names on the way, a dot before each, without places in lists. */
  readonly path: string;
  readonly lowerPath: string;
  readonly text: string;
}

/** In their order. Bodies have few levels. */
function* listLeaves(value: unknown, path = "", lowerPath = ""): Generator<Leaf> {
  const written = writtenNumber(value);
  if (written !== undefined || typeof value !== "object" || value === null) {
    yield { path, lowerPath, text: written ?? String(value) };
  } else if (Array.isArray(value)) {
    for (const item of value) yield* listLeaves(item, path, lowerPath);
  } else {
    for (const [name, member] of Object.entries(value)) {
      yield* listLeaves(member, `${path}.${name}`, `${lowerPath}.${toLower(name)}`);
    }
  }
}

/** Of ASCII alone, as the database compares names: the Kelvin sign's lower case is a k. */
const toLower = (name: string): string => (/^\p{ASCII}*$/u.test(name) ? name.toLowerCase() : name);

function hasValue(text: string, { value, isBeginning }: FieldValue): boolean {
  const folded = foldValue(text);
  return folded === value || (isBeginning && folded.startsWith(value)) || isSameNumber(text, value);
}

function toMatch({ path, text }: Leaf): Match {
  const shown = text.slice(0, TEXT_CHARS_MAX).toWellFormed().replaceAll(/\s/g, " ");
  const cut = text.length > shown.length ? "…" : "";
  return { field: path.slice(1), text: `${shown}${cut}`, ranges: [[0, shown.length]] };
}
