/**
 * The contract as JSON Schema 2020-12, one document each at `/schemas/<name>.json`: the webhooks' bodies by their
 * event's name, the records that intake accepts (both by the schemas that build and check them), news about failures
 * for owners' own webhooks, and the operator's notices.
 */
import type { TSchema } from "typebox";
import type { EventType } from "../events/event-type.ts";
import type { EventTypes } from "../events/event-types.ts";
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
  ...plainSchema(schema),
});

/** Without the keywords that only our own program reads: validators in strict mode refuse unknown keywords. */
export const plainSchema = (schema: TSchema): Record<string, unknown> =>
  publishedSchema(schema, { isStrict: true }) as Record<string, unknown>;

/**
 * A schema, or a document with schemas in it, in its published form: our `x-format` becomes `format`, and hidden parts
 * (checks in code) are left out. No field of a body or a record has a name that begins with `x-`.
 */
export function publishedSchema(node: unknown, options: { readonly isStrict: boolean }): unknown {
  if (Array.isArray(node)) return node.map((item) => publishedSchema(item, options));
  if (typeof node !== "object" || node === null) return node;
  const members = Object.entries(node).filter(([key]) => key !== "x-message" || !options.isStrict);
  return Object.fromEntries(
    members.map(([key, part]) => [key === "x-format" ? "format" : key, publishedSchema(part, options)]),
  );
}
