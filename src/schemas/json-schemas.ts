/**
 * The contract as JSON Schema 2020-12, one document each at `/schemas/<name>.json`: the webhooks' bodies by their
 * event's name, the records that intake accepts (both by the schemas that build and check them), news about failures
 * for owners' own webhooks, and the operator's notices.
 */
import type { TSchema } from "typebox";
import { eventFacts } from "../domain/event.ts";
import { EVENT_FAMILIES } from "../events/catalog.ts";
import { NOTIFICATION_SCHEMA } from "./notification-body.ts";
import { OPERATOR_ALERT_SCHEMAS } from "./operator-alerts.ts";

const FAMILIES = Object.values(EVENT_FAMILIES);

export const NOTIFICATION_NAME = "failure_news";

const SCHEMAS: Readonly<Record<string, TSchema>> = {
  ...Object.fromEntries(FAMILIES.map(({ type, bodySchema }) => [type, bodySchema])),
  ...Object.fromEntries(FAMILIES.map(({ type, recordSchema }) => [eventFacts(type).schema, recordSchema])),
  [NOTIFICATION_NAME]: NOTIFICATION_SCHEMA,
  ...OPERATOR_ALERT_SCHEMAS,
};

export const SCHEMA_NAMES: readonly string[] = Object.keys(SCHEMAS);

/** `null` for an unknown name. `publicUrl` has no slash at its end. */
export function jsonSchemaDocument(name: string, publicUrl: string): Record<string, unknown> | null {
  const schema = Object.hasOwn(SCHEMAS, name) ? SCHEMAS[name] : undefined;
  if (schema === undefined) return null;
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    $id: `${publicUrl}/schemas/${name}.json`,
    title: name,
    ...plainSchema(schema),
  };
}

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
