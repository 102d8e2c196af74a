/**
 * The contract as JSON Schema 2020-12, one document each at `/schemas/<name>.json`: the webhooks' bodies by their
 * event's name, the records that intake accepts (both by the schemas that build and check them), news about failures
 * for owners' own webhooks, and the operator's notices.
 */
import type { TSchema } from "typebox";
import type { EventType } from "../events/event-type.ts";
import type { EventTypes } from "../events/event-types.ts";
import { type SchemaObject, isSchemaObject, mapSchemas, toPointer } from "../events/schema/keywords.ts";
import { placeSchema } from "../events/schema/place.ts";
import { NOTIFICATION_SCHEMA } from "./notification-body.ts";
import { OPERATOR_ALERT_SCHEMAS } from "./operator-alerts.ts";

export const NOTIFICATION_NAME = "failure_news";

/** By their names: bodies, then records, then what else is sent. */
export const listSchemas = ({ all }: EventTypes): ReadonlyMap<string, TSchema> =>
  new Map<string, TSchema>([
    ...all.map(({ type, bodySchema }) => [type, bodySchema] as const),
    ...all.map((type) => [recordSchemaName(type), type.recordSchema] as const),
    [NOTIFICATION_NAME, NOTIFICATION_SCHEMA],
    ...Object.entries(OPERATOR_ALERT_SCHEMAS),
  ]);

const recordSchemaName = ({ type, builtIn }: EventType): string => builtIn?.schema ?? `${type}.record`;

/** `publicUrl` has no slash at its end. */
export const schemaAddress = (name: string, publicUrl: string): string => `${publicUrl}/schemas/${name}.json`;

export const jsonSchemaDocument = (name: string, schema: TSchema, publicUrl: string): Record<string, unknown> => ({
  $schema: "https://json-schema.org/draft/2020-12/schema",
  $id: schemaAddress(name, publicUrl),
  title: name,
  ...publishSchema(schema, { isStrict: true }),
});

interface PublishOptions {
  /** The schema's place in a document, as a pointer; the document itself when left out. */
  readonly at?: string;
  /** Without the keywords that only our own program reads: validators in strict mode refuse unknown keywords. */
  readonly isStrict: boolean;
}

/** In its published form: our `x-format` becomes `format`, and hidden parts (checks in code) are left out. */
export const publishSchema = (schema: TSchema, { at = "", isStrict }: PublishOptions): SchemaObject =>
  mapSchemas(placeSchema(schema as SchemaObject, at), (part) => {
    const members = Object.entries(part).filter(([key]) => !isStrict || key === "x-format" || !key.startsWith("x-"));
    return Object.fromEntries(members.map(([key, value]) => [key === "x-format" ? "format" : key, value]));
  }) as SchemaObject;

/** A document in which each `schema` is one, in published form; `value` has an example as it is. */
export function publishDocument(node: unknown, at = ""): unknown {
  if (Array.isArray(node)) return node.map((item, index) => publishDocument(item, `${at}/${index}`));
  if (!isSchemaObject(node)) return node;
  const members = Object.entries(node).map(([key, part]): [string, unknown] => {
    const below = `${at}${toPointer([key])}`;
    if (key === "value") return [key, part];
    const isPublished = key === "schema" && isSchemaObject(part);
    return [key, isPublished ? publishSchema(part, { at: below, isStrict: false }) : publishDocument(part, below)];
  });
  return Object.fromEntries(members);
}
