/** The body of a declared type: the record as it came, with the type's name as `event`. Pure. */
import type { Members } from "../event-type.ts";
import { parseExactJson } from "../exact-json.ts";
import { placeSchema } from "../schema/place.ts";
import { takeName } from "../schema/typescript.ts";
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
export function toBodySchema({ type, title, description, schema, exampleText }: Declaration): SchemaObject {
  const { required, maxProperties, propertyNames, $defs } = schema;
  const event = { const: type, type: "string" as const, description: `Always ${type}.` };
  // What contains a whole record has none of a body in it.
  const name = takeName(new Set(Object.keys($defs ?? {})), "record");
  const { $defs: placedDefs, ...placed } = placeSchema(schema, "", `/$defs/${name}`);
  const containsItself = JSON.stringify([placed, placedDefs]).includes(`"$ref":"#/$defs/${name}"`);
  const defs = { ...placedDefs, ...(containsItself ? { [name]: placed } : {}) };
  return {
    title,
    ...(description === "" ? {} : { description }),
    ...placed,
    properties: { ...placed.properties, event: { ...asMembers(placed.properties?.["event"]), ...event } },
    required: [...new Set([...(required ?? []), "event"])],
    ...(maxProperties === undefined ? {} : { maxProperties: maxProperties + 1 }),
    ...(propertyNames === undefined
      ? {}
      : { propertyNames: { anyOf: [{ const: "event" }, placed.propertyNames ?? true] } }),
    ...(Object.keys(defs).length === 0 ? {} : { $defs: defs }),
    examples: [{ ...(parseExactJson(exampleText) as Members), event: type }],
  };
}
