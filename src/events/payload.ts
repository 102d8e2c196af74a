/**
 * A payload as conditions read it: the values of a field, by its path. The same for a record that was just accepted and
 * for a body that is read from the log, so that a preview says what would have happened. Pure.
 *
 * Bounded: of a field no more than `VALUES_MAX` values and `CHARS_MAX` characters are looked at, and each field is read
 * once for all conditions on it, however many webhooks an account has.
 */
import { type FieldValue, type ReadField, foldText } from "../domain/conditions.ts";
import { writtenNumber } from "./exact-json.ts";

export type Payload = Readonly<Record<string, unknown>>;

/** Guess, above every list that intake takes (referrers). */
const VALUES_MAX = 2_000;
/** Guess: some ten thousand words of a transcript. With it a condition costs at most some 0.1 ms. */
const CHARS_MAX = 64 * 1024;

/** Asks for the payload when a field of it is read first. */
export function createFieldReader(getPayload: () => Payload): ReadField {
  let payload: Payload | null = null;
  // Most events meet no condition, and need neither.
  let read: Map<string, readonly FieldValue[]> | null = null;
  return (field) => {
    read ??= new Map();
    const known = read.get(field);
    if (known !== undefined) return known;
    payload ??= getPayload();
    const values = listValues(findMembers(payload, field));
    read.set(field, values);
    return values;
  };
}

/**
 * The value at the path, if there is one; `items[].sku` is that of each item of a list. A name may have dots in it: the
 * whole path is looked for first, and then the shortest name that is there.
 */
export function findMembers(container: unknown, path: string): readonly unknown[] {
  if (!isObject(container)) return [];
  if (Object.hasOwn(container, path)) return [container[path]];
  for (let dot = path.indexOf("."); dot !== -1; dot = path.indexOf(".", dot + 1)) {
    const [name, below] = [path.slice(0, dot), path.slice(dot + 1)];
    if (Object.hasOwn(container, name)) return findMembers(container[name], below);
    const items = listItems(container, name);
    if (items.length > 0) return items.flatMap((item) => findMembers(item, below));
  }
  return [];
}

/** `name` is `items[]`, with more brackets for a list of lists. */
function listItems(object: Payload, name: string): readonly unknown[] {
  const [, member = "", brackets = ""] = /^(.*?)((?:\[\])+)$/s.exec(name) ?? [];
  const list = Object.hasOwn(object, member) ? object[member] : undefined;
  return Array.isArray(list) ? list.flat(brackets.length / 2 - 1) : [];
}

/** The values in a value, first come first; those that say nothing (`null`, empty text) are left out. */
export function listValues(value: unknown): readonly FieldValue[] {
  const values: FieldValue[] = [];
  collect(value, values, CHARS_MAX);
  return values;
}

/** Returns how many characters are left to look at. Intake bounds the depth. */
function collect(value: unknown, values: FieldValue[], charsLeft: number): number {
  if (values.length >= VALUES_MAX || charsLeft <= 0) return 0;
  const leaf = toLeaf(value, charsLeft);
  if (leaf !== null) {
    if (leaf.text !== "") values.push(leaf);
    return charsLeft - leaf.text.length;
  }
  let left = charsLeft;
  if (typeof value === "object" && value !== null) {
    for (const part of Object.values(value)) left = collect(part, values, left);
  }
  return left;
}

/** `null` for what is no single value. */
function toLeaf(value: unknown, charsLeft: number): FieldValue | null {
  if (typeof value === "string") {
    return { kind: "text", text: foldText(value.length > charsLeft ? value.slice(0, charsLeft) : value) };
  }
  if (typeof value === "boolean") return { kind: "boolean", text: String(value) };
  if (typeof value === "number") return { kind: "number", text: String(value) };
  const written = writtenNumber(value);
  return written === undefined ? null : { kind: "number", text: written.toLowerCase() };
}

const isObject = (value: unknown): value is Payload =>
  typeof value === "object" && value !== null && !Array.isArray(value);
