/** The body of a declared type: the record as it came, with the type's name as `event`. Pure. */
import { asMembers } from "../summary.ts";
import { compactJson } from "./compact-json.ts";
import type { Declaration } from "./declaration.ts";
import type { SchemaObject } from "../schema/keywords.ts";
import type { CheckedRecord } from "./record-check.ts";

/** `event` comes last; where the record has it, it stays in its place. */
export function toBody(type: string, { text, value }: Pick<CheckedRecord, "text" | "value">): string {
  const compact = compactJson(text, value);
  if (Object.hasOwn(value, "event")) return compact;
  return `${compact.slice(0, -1)}${compact === "{}" ? "" : ","}"event":${JSON.stringify(type)}}`;
}

/** The record's schema with `event` as one more member, wherever a keyword counts or names members. */
export function toBodySchema({ type, title, description, schema }: Declaration): SchemaObject {
  const { properties, required, maxProperties, propertyNames } = schema;
  const event = { const: type, type: "string" as const, description: `Always ${type}.` };
  return {
    title,
    ...(description === "" ? {} : { description }),
    ...schema,
    properties: { ...properties, event: { ...asMembers(properties?.["event"]), ...event } },
    required: [...new Set([...(required ?? []), "event"])],
    ...(maxProperties === undefined ? {} : { maxProperties: maxProperties + 1 }),
    ...(propertyNames === undefined ? {} : { propertyNames: { anyOf: [{ const: "event" }, propertyNames] } }),
  };
}
