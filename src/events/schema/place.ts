/**
 * A schema as a part of a larger document: its references lead from that document's beginning, because readers of
 * OpenAPI and AsyncAPI look there whatever `$id` says. Pure.
 */
import { type JsonSchema, type SchemaObject, isSchemaObject, listParts, mapSchemas, toPointer } from "./keywords.ts";
import { readReferences } from "./references.ts";

/** `at` is a pointer to the schema in the document, and `root` where references to all of it lead. */
export function placeSchema(schema: SchemaObject, at: string, root = at): SchemaObject {
  const references = readReferences(schema);
  const places = new Map<JsonSchema | undefined, string>([[schema, root]]);
  const visit = (part: JsonSchema, path: string): void => {
    if (!isSchemaObject(part)) return;
    if (part !== schema) places.set(part, path);
    for (const [steps, below] of listParts(part)) visit(below, `${path}${toPointer(steps)}`);
  };
  visit(schema, at);
  const lead = (from: SchemaObject, reference: string): string => {
    const place = places.get(references.resolve(from, reference)) ?? `${at}${reference.replace(/^[^#]*#?/, "")}`;
    return `#${encodeURI(place)}`;
  };
  return mapSchemas(schema, (copy, original) => {
    const { $ref, $dynamicRef } = copy;
    const rest: SchemaObject = Object.fromEntries(Object.entries(copy).filter(([keyword]) => !OF_PLACES.has(keyword)));
    const leads = [$ref, $dynamicRef].flatMap((each) => (each === undefined ? [] : [{ $ref: lead(original, each) }]));
    if (leads.length < 2) return { ...rest, ...leads[0] };
    return { ...rest, allOf: [...(rest.allOf ?? []), ...leads] };
  }) as SchemaObject;
}

/** Keywords that say where something is; pointers take their place. */
const OF_PLACES = new Set(["$id", "$schema", "$anchor", "$dynamicAnchor", "$ref", "$dynamicRef"]);
