/** Finds a field's value in a body, wherever the field stands in it: `city` is `location.city`. Pure. */
import { type FieldValue, foldValue } from "../domain/field-values.ts";
import { parseBody, writtenNumber } from "./exact-json.ts";
import type { Match } from "./find-match.ts";

/** A row's width, about. */
const TEXT_CHARS_MAX = 120;

/** Where each value stands; `null` where one of them does not. */
export function findFields(body: string, wanted: readonly FieldValue[]): Match | null {
  const parsed = parseBody(body);
  if (!parsed.ok) return null;
  const leaves = Array.from(listLeaves(parsed.value));
  const found = wanted.map((value) => leaves.find((leaf) => isValue(leaf, value)));
  const [first] = found;
  return first === undefined || found.includes(undefined) ? null : toMatch(first);
}

interface Leaf {
  /** The names on the way, without places in lists. */
  readonly path: readonly string[];
  readonly text: string;
}

/** In their order. Bodies have few levels. */
function* listLeaves(value: unknown, path: readonly string[] = []): Generator<Leaf> {
  const written = writtenNumber(value);
  if (written !== undefined || typeof value !== "object" || value === null) {
    yield { path, text: written ?? String(value) };
  } else if (Array.isArray(value)) {
    for (const item of value) yield* listLeaves(item, path);
  } else {
    for (const [name, member] of Object.entries(value)) yield* listLeaves(member, [...path, name]);
  }
}

function isValue({ path, text }: Leaf, { field, value, isBeginning }: FieldValue): boolean {
  const names = field.toLowerCase().split(".");
  const end = path.slice(-names.length);
  // A name with a dot in it is the whole of a path's end, too.
  const isField = end.join(".").toLowerCase() === names.join(".") || path.at(-1)?.toLowerCase() === names.join(".");
  if (!isField) return false;
  const folded = foldValue(text);
  return folded === value || (isBeginning && folded.startsWith(value)) || isSameNumber(text, value);
}

/** `20` finds 20.00. */
const isSameNumber = (text: string, value: string): boolean =>
  /^-?\d{1,15}(?:\.\d+)?$/.test(value) && /^-?\d{1,15}(?:\.\d+)?$/.test(text) && Number(text) === Number(value);

function toMatch({ path, text }: Leaf): Match {
  const shown = text.slice(0, TEXT_CHARS_MAX).toWellFormed().replaceAll(/\s/g, " ");
  const cut = text.length > shown.length ? "…" : "";
  return { field: path.join("."), text: `${shown}${cut}`, ranges: [[0, shown.length]] };
}
