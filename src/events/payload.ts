/**
 * A payload as conditions read it: the values of a field, by its path. The same for a record that was just accepted and
 * for a body that is read from the log, so that a preview says what would have happened. Pure.
 *
 * Bounded: of a field no more than `VALUES_MAX` values and `CHARS_MAX` characters are looked at. Each field is read
 * once for all conditions on it, however many webhooks an account has, and all together take no more than `Steps`.
 */
import { createSteps, FieldValues, type FieldValue, type ReadField, foldText } from "../domain/conditions.ts";
import type { Steps } from "../lib/steps.ts";
import { writtenNumber } from "./exact-json.ts";

export type Payload = Readonly<Record<string, unknown>>;

/** Guess, above every list that intake takes (referrers). */
const VALUES_MAX = 2_000;
/** Guess: some ten thousand words of a transcript. */
const CHARS_MAX = 64 * 1024;
/** Of a name that is looked up, and of a part that a list or an object has. */
export const NAME_STEPS = 32;
/** Of a value in all its forms, and of its character. */
const [VALUE_STEPS, CHAR_STEPS] = [128, 4];

/** Asks for the payload when a field of it is read first. */
export function createFieldReader(getPayload: () => Payload): ReadField {
  let payload: Payload | null = null;
  // Most events meet no condition, and need neither.
  let read: Map<string, FieldValues> | null = null;
  let steps: Steps | null = null;
  return (field) => {
    read ??= new Map();
    const known = read.get(field);
    if (known !== undefined) return known;
    payload ??= getPayload();
    steps ??= createSteps();
    const values = new FieldValues(listValues(findMembers(payload, field, steps), steps), steps);
    read.set(field, values);
    return values;
  };
}

/**
 * The value at the path, if there is one; `items[].sku` is that of each item of a list. A name may have dots in it: the
 * whole path is looked for first, and then the shortest name that is there.
 */
export function findMembers(container: unknown, path: string, steps = createSteps()): readonly unknown[] {
  if (!steps.take(NAME_STEPS) || !isObject(container)) return [];
  if (Object.hasOwn(container, path)) return [container[path]];
  for (let dot = path.indexOf("."); dot !== -1 && steps.take(NAME_STEPS); dot = path.indexOf(".", dot + 1)) {
    const [name, below] = [path.slice(0, dot), path.slice(dot + 1)];
    if (Object.hasOwn(container, name)) return findMembers(container[name], below, steps);
    const items = listItems(container, name, steps) ?? [];
    if (items.length > 0) return items.flatMap((item) => findMembers(item, below, steps));
  }
  return [];
}

/** `name` is `items[]`, with more brackets for a list of lists. `null`: there is no such list. */
export function listItems(object: object, name: string, steps: Steps): readonly unknown[] | null {
  let member = name;
  while (member.endsWith("[]")) member = member.slice(0, -2);
  const list: unknown = member !== name && Object.hasOwn(object, member) ? Reflect.get(object, member) : undefined;
  return Array.isArray(list) ? flatten(list, (name.length - member.length) / 2 - 1, steps) : null;
}

const flatten = (list: readonly unknown[], levels: number, steps: Steps): readonly unknown[] =>
  levels === 0 || !steps.take(NAME_STEPS * list.length)
    ? list
    : list.flatMap((item) => (Array.isArray(item) ? flatten(item, levels - 1, steps) : [item]));

/** The values in a value, first come first; those that say nothing (`null`, empty text) are left out. */
export function listValues(value: unknown, steps = createSteps()): readonly FieldValue[] {
  const values: FieldValue[] = [];
  collect(value, CHARS_MAX, { values, steps });
  return values;
}

interface Collected {
  readonly values: FieldValue[];
  readonly steps: Steps;
}

/** Returns how many characters are left to look at. Intake bounds the depth. */
function collect(value: unknown, charsLeft: number, collected: Collected): number {
  const { values, steps } = collected;
  const leaf = toLeaf(value, charsLeft);
  if (leaf !== null) {
    if (!steps.take(VALUE_STEPS + CHAR_STEPS * leaf.chars)) return 0;
    if (leaf.text !== "") values.push({ kind: leaf.kind, text: leaf.text });
    return values.length < VALUES_MAX ? charsLeft - leaf.chars : 0;
  }
  let left = charsLeft;
  const parts: readonly unknown[] = Array.isArray(value) ? value : isObject(value) ? Object.values(value) : [];
  if (!steps.take(NAME_STEPS * (Array.isArray(value) ? 1 : 1 + parts.length))) return 0;
  for (const part of parts) {
    left = collect(part, left, collected);
    if (left <= 0) return 0;
  }
  return left;
}

/** `null` for what is no single value. */
function toLeaf(value: unknown, charsLeft: number): (FieldValue & { readonly chars: number }) | null {
  if (typeof value === "boolean") return { kind: "boolean", text: String(value), chars: 5 };
  const written = typeof value === "number" ? String(value) : writtenNumber(value);
  const text = typeof value === "string" ? value : written;
  if (text === undefined) return null;
  const isCut = text.length > charsLeft;
  const looked = isCut ? text.slice(0, charsLeft) : text;
  // A part of a number is another number.
  const kind = written === undefined || isCut ? "text" : "number";
  return { kind, text: foldText(looked), chars: looked.length };
}

const isObject = (value: unknown): value is Payload =>
  typeof value === "object" && value !== null && !Array.isArray(value);
