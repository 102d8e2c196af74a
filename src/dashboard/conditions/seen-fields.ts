/**
 * The fields that a form suggests for conditions: those of the payload, and the account's own below `utm_params` and
 * `extracted_variables` as its latest events have them, each with values that it had. Pure.
 */
import type { EventType } from "../../domain/event.ts";
import { type ConditionField, listConditionFields } from "../../events/condition-fields.ts";
import { type Payload, findMember } from "../../events/payload.ts";
import type { ConditionFieldView } from "../contract/conditions.ts";

/** Guesses: more than people look through. */
const OWN_FIELDS_MAX = 100;
const VALUES_MAX = 8;
/** A value of this length is no choice, but a text. */
const VALUE_CHARS_MAX = 60;

export function suggestFields(
  types: readonly EventType[],
  payloads: readonly Payload[],
): readonly ConditionFieldView[] {
  const fields = listConditionFields(types);
  return fields.flatMap(({ path, description: about, isOpen }): ConditionFieldView[] => {
    const field = { path, about, isOpen, seen: listSeen(path, payloads) };
    return isOpen ? [field, ...listOwn(path, payloads, fields)] : [field];
  });
}

/** Names below an open object that no schema knows. */
function listOwn(path: string, payloads: readonly Payload[], fields: readonly ConditionField[]): ConditionFieldView[] {
  const known = new Set<string>();
  for (const payload of payloads) {
    const object = findMember(payload, path);
    for (const name of Object.keys(typeof object === "object" && object !== null ? object : {})) {
      if (known.size < OWN_FIELDS_MAX) known.add(name);
    }
  }
  for (const { path: fixed } of fields) known.delete(fixed.slice(path.length + 1));
  const names = [...known].toSorted((one, other) => one.localeCompare(other, "en"));
  return names.map((name) => {
    const own = `${path}.${name}`;
    return { path: own, about: "", isOpen: false, seen: listSeen(own, payloads) };
  });
}

function listSeen(path: string, payloads: readonly Payload[]): string[] {
  const counts = new Map<string, number>();
  for (const payload of payloads) {
    const value = findMember(payload, path);
    for (const each of Array.isArray(value) ? value : [value]) {
      const text = toChoice(each);
      if (text !== null) counts.set(text, (counts.get(text) ?? 0) + 1);
    }
  }
  const frequent = [...counts].toSorted(([, one], [, other]) => other - one);
  return frequent.slice(0, VALUES_MAX).map(([text]) => text);
}

function toChoice(value: unknown): string | null {
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  if (typeof value !== "string") return null;
  const text = value.trim();
  return text === "" || text.length > VALUE_CHARS_MAX || /\p{Cc}/u.test(text) ? null : text;
}
