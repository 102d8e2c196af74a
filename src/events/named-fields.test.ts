import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { TSchema } from "typebox";
import { Compile } from "typebox/compile";
import { CHAT_CONVERSATION_SAMPLES } from "./chat-conversation-completed.ts";
import { DEMO_VIEWED_SAMPLES } from "./demo-viewed.ts";
import { nameFields } from "./named-fields.ts";
import type { JsonSchema } from "./schema/keywords.ts";
import { eventType } from "../../test/kit/event-type.ts";

type Json = Record<string, unknown>;

const SAMPLES = {
  demo_viewed: Object.values(DEMO_VIEWED_SAMPLES),
  chat_conversation_completed: Object.values(CHAT_CONVERSATION_SAMPLES),
};

/** The record itself and every object in it. */
function listObjects(value: unknown): Json[] {
  if (typeof value !== "object" || value === null) return [];
  const inside = Object.values(value).flatMap(listObjects);
  return Array.isArray(value) ? inside : [value as Json, ...inside];
}

const names = fc.oneof(fc.constantFrom("__proto__", "constructor", "id\n", "ID", " id", ""), fc.string());

const changes = fc.record({ at: fc.nat(), field: fc.nat(), name: names });

for (const [type, samples] of Object.entries(SAMPLES)) {
  test(`a ${type} passes or fails as it does by the schema as it is written`, () => {
    const schema = eventType(type).recordSchema;
    const [written, named] = [Compile(schema), Compile(nameFields(schema as JsonSchema) as TSchema)];
    let passed = 0;
    fc.assert(
      fc.property(fc.constantFrom(...samples), changes, (sample, { at, field, name }) => {
        const record = structuredClone(sample) as Json;
        assert.ok(named.Check(record));
        const objects = listObjects(record);
        const object = objects[at % objects.length] ?? record;
        const fields = Object.keys(object);
        if (field % 3 === 0) delete object[fields[field % fields.length] ?? ""];
        else Object.defineProperty(object, name, { value: "x", enumerable: true, configurable: true, writable: true });
        assert.equal(named.Check(record), written.Check(record), JSON.stringify(record));
        passed += named.Check(record) ? 1 : 0;
      }),
      { numRuns: 2_000 },
    );
    assert.ok(passed > 0, "some that were changed still pass");
  });
}
