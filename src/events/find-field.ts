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
  const endChars = Math.max(0, ...Array.from(missing.values(), ({ length }) => length));
  let first: Match | null = null;
  someLeaf(value, { path: "", end: "", endChars }, (leaf, { path, end }) => {
    let text: string | undefined;
    let folded: string | undefined;
    for (const [each, wantedEnd] of missing) {
      if (!end.endsWith(wantedEnd)) continue;
      text ??= textOf(leaf);
      folded ??= foldValue(text);
      if (!hasValue({ text, folded }, each)) continue;
      missing.delete(each);
      if (each === wanted[0]) first = toMatch(path, text);
    }
    return missing.size === 0;
  });
  return missing.size === 0 ? first : null;
}

interface Place {
  /** The names on the way, a dot before each, without places in lists. Nobody reads it but for the one match. */
  readonly path: string;
  /** Its last letters, in lower case: as many as the longest of the wanted names has. */
  readonly end: string;
  readonly endChars: number;
}

/** Visits values in their order, until one is what `visit` looks for. Bodies have few levels. */
function someLeaf(value: unknown, place: Place, visit: (leaf: unknown, place: Place) => boolean): boolean {
  if (typeof value !== "object" || value === null || writtenNumber(value) !== undefined) return visit(value, place);
  if (Array.isArray(value)) return value.some((item) => someLeaf(item, place, visit));
  return Object.entries(value).some(([name, member]) => someLeaf(member, below(place, name), visit));
}

function below({ path, end, endChars }: Place, name: string): Place {
  const lower = toLower(name.slice(-endChars));
  return { path: `${path}.${name}`, end: `${end}.${lower}`.slice(-endChars), endChars };
}

const textOf = (leaf: unknown): string => writtenNumber(leaf) ?? String(leaf);

/** Of ASCII alone, as the database compares names: the Kelvin sign's lower case is a k. */
const toLower = (name: string): string => (/^\p{ASCII}*$/u.test(name) ? name.toLowerCase() : name);

interface LeafText {
  readonly text: string;
  readonly folded: string;
}

const hasValue = ({ text, folded }: LeafText, { value, isBeginning }: FieldValue): boolean =>
  folded === value || (isBeginning && folded.startsWith(value)) || isSameNumber(text, value);

/** The end of a long name, where the field that was asked for stands, and the beginning of a long text. */
function toMatch(path: string, text: string): Match {
  const field = path.slice(1);
  const name = field.slice(-TEXT_CHARS_MAX).toWellFormed();
  const shown = text.slice(0, TEXT_CHARS_MAX).toWellFormed().replaceAll(/\s/g, " ");
  return {
    field: field.length > name.length ? `…${name}` : name,
    text: text.length > shown.length ? `${shown}…` : shown,
    ranges: [[0, shown.length]],
  };
}
