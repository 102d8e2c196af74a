import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { TSchema } from "typebox";
import { Compile } from "typebox/compile";
import { CHAT_CONVERSATION_SAMPLES } from "./chat-conversation-completed.ts";
import { DEMO_VIEWED_SAMPLES } from "./demo-viewed.ts";
import { BUILT_IN_TYPES } from "./event-types.ts";
import { eventType } from "../../test/kit/event-type.ts";

const demo = eventType("demo_viewed");
const chat = eventType("chat_conversation_completed");
const GOLDEN = join(import.meta.dirname, "golden");

const golden = readdirSync(GOLDEN)
  .filter((file) => file.endsWith(".record.json"))
  .map((file): [string, typeof demo, string] => {
    return [file, file.startsWith("demo.") ? demo : chat, readFileSync(join(GOLDEN, file), "utf8")];
  });
const samples = [
  ...Object.entries(DEMO_VIEWED_SAMPLES).map(([name, record]) => [name, demo, JSON.stringify(record)] as const),
  ...Object.entries(CHAT_CONVERSATION_SAMPLES).map(([name, record]) => [name, chat, JSON.stringify(record)] as const),
];

/** The schema as a reader of the OpenAPI document gets it, without the parts that only our process knows. */
const published = (schema: TSchema): TSchema => JSON.parse(JSON.stringify(schema)) as TSchema;

test("lists every event type under its own name", () => {
  for (const each of BUILT_IN_TYPES.all) assert.equal(BUILT_IN_TYPES.find(each.type), each);
  assert.equal(BUILT_IN_TYPES.find("lead_identified"), undefined);
  assert.equal(BUILT_IN_TYPES.read("lead_identified").title, "lead_identified");
});

for (const [name, family, recordText] of [...samples, ...golden]) {
  test(`builds a body of the published schema from ${name}`, () => {
    const parsed = family.parse(recordText);
    assert.ok(parsed.ok, parsed.ok ? "" : parsed.error.detail);
    const body: unknown = JSON.parse(parsed.value.buildBody({ appUrl: "https://app.example.com" }));
    assert.deepEqual(Compile(published(family.bodySchema)).Errors(body), []);
    assert.deepEqual(Compile(published(family.recordSchema)).Errors(JSON.parse(recordText)), []);
  });
}

for (const family of BUILT_IN_TYPES.all) {
  test(`the sample of ${family.type} is accepted`, () => {
    assert.equal(family.parse(JSON.stringify(family.example)).ok, true);
  });

  test(`describes every field of ${family.type}, and lets no other in`, () => {
    for (const schema of [family.recordSchema, family.bodySchema]) checkDescribed(schema, family.type);
  });
}

interface Node {
  readonly description?: string;
  readonly type?: string;
  readonly properties?: Record<string, Node>;
  readonly additionalProperties?: unknown;
  readonly items?: Node;
  readonly anyOf?: Node[];
}

/** Open on purpose: owner and product choose their names. */
const OPEN = ["utm_params", "extracted_variables"];

function checkDescribed(node: Node, path: string): void {
  const isOpen = OPEN.some((name) => path.endsWith(`.${name}`));
  if (node.type === "object" && !isOpen) assert.equal(node.additionalProperties, false, path);
  for (const [name, field] of Object.entries(node.properties ?? {})) {
    assert.ok(field.description, `${path}.${name} has no description`);
    checkDescribed(field, `${path}.${name}`);
  }
  for (const part of [node.items, ...(node.anyOf ?? [])]) if (part !== undefined) checkDescribed(part, path);
}

test("the published schema of a conversation refuses every wrong mix of the two transcript forms", () => {
  const compiled = Compile(published(chat.recordSchema));
  const { mode, messages, ...rest } = CHAT_CONVERSATION_SAMPLES.textChat;
  const parts = { mode, messages, transcript: "[Text mode]", message_count: 1 };
  const names = Object.keys(parts);
  for (let mix = 0; mix < 2 ** names.length; mix += 1) {
    const chosen = Object.entries(parts).filter((_, index) => (mix & (1 << index)) !== 0);
    const record = { ...rest, ...Object.fromEntries(chosen) };
    assert.equal(compiled.Check(record), chat.parse(JSON.stringify(record)).ok, chosen.map(([name]) => name).join());
  }
});

test("body schemas list the keys in the order in which bodies have them", () => {
  for (const family of BUILT_IN_TYPES.all) {
    const parsed = family.parse(JSON.stringify(family.example));
    assert.ok(parsed.ok);
    const body = JSON.parse(parsed.value.buildBody({ appUrl: "https://app.example.com" })) as object;
    assert.deepEqual(Object.keys((family.bodySchema as Node).properties ?? {}), Object.keys(body));
  }
});
