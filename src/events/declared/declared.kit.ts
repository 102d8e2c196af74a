/** Declarations and their event types for tests. */
import assert from "node:assert/strict";
import type { JsonSchema, SchemaObject } from "../schema/keywords.ts";
import { createEventType } from "./create-event-type.ts";
import type { Declaration } from "./declaration.ts";

/** A valid one, with the given members in it. */
export const toDeclaration = (given: Partial<Declaration>): Declaration => ({
  type: "thing_happened",
  title: "Thing happened",
  description: "",
  schema: { type: "object", required: ["id"], properties: { id: { type: "string" } } },
  key: "/id",
  occurredAt: null,
  headline: [],
  search: [],
  plan: null,
  exampleText: '{"id":"1"}',
  ...given,
});

/** A type whose record has an `id` and these. */
export const withProperties = (properties: Readonly<Record<string, JsonSchema>>, more: SchemaObject = {}) =>
  createEventType(
    toDeclaration({
      schema: { type: "object", required: ["id"], properties: { id: { type: "string" }, ...properties }, ...more },
      headline: ["/who/name", "/total", "/what"],
      search: ["/who/name", "/lines", "/total"],
    }),
  );

/** `path message` of each error. */
export function errorsOf(type: ReturnType<typeof createEventType>, record: unknown, errorsMax?: number): string[] {
  const text = typeof record === "string" ? record : JSON.stringify(record);
  const parsed = type.parse(text, errorsMax);
  assert.ok(!parsed.ok, "the record is refused");
  return (parsed.error.errors ?? [{ path: parsed.error.code, message: parsed.error.detail }]).map(
    ({ path, message }) => `${path} ${message}`,
  );
}

export function parse(type: ReturnType<typeof createEventType>, text: string) {
  const parsed = type.parse(text);
  assert.ok(parsed.ok, JSON.stringify(parsed));
  return { ...parsed.value, body: parsed.value.buildBody({ appUrl: "https://app.example.com" }) };
}
