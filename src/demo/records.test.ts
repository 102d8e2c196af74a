/** Intake takes every record that the stand-in product makes up: each kind under many seeds. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createSeededRandom } from "../../test/kit/world/seeded-random.ts";
import { DECLARED_TYPES } from "../../test/kit/declared-types.ts";
import { START_MS } from "../../test/kit/world/virtual-clock.ts";
import { type RecordKind, newExampleRecord, newRecord } from "./records.ts";
import { demoViewed } from "../events/demo-viewed.ts";
import { chatConversationCompleted } from "../events/chat-conversation-completed.ts";

const FAMILY_OF = {
  session_of_lead: demoViewed,
  session_of_unknown: demoViewed,
  text_chat: chatConversationCompleted,
  voice_chat: chatConversationCompleted,
} as const;

const KNOWS_LEAD: readonly RecordKind[] = ["session_of_lead", "text_chat"];

for (const kind of Object.keys(FAMILY_OF) as RecordKind[]) {
  test(`intake takes every ${kind}`, () => {
    const random = createSeededRandom(11);
    const ids = new Set<string>();
    for (let count = 0; count < 300; count += 1) {
      const record = newRecord(kind, START_MS, random);
      assert.ok(!record.text.includes("\n"), "a record is one line of a batch");
      const parsed = FAMILY_OF[kind].parse(record.text);
      assert.ok(parsed.ok, `${record.text}: ${JSON.stringify(parsed)}`);
      assert.equal(parsed.value.sourceId, record.id);
      const body = JSON.parse(parsed.value.buildBody({ appUrl: "https://app.example.com" })) as { lead: unknown };
      assert.equal(body.lead !== null, KNOWS_LEAD.includes(kind));
      ids.add(record.id);
    }
    assert.equal(ids.size, 300);
  });
}

test("an example of a declared type is taken each time under a key of its own, wherever that is", () => {
  const random = createSeededRandom(11);
  for (const type of DECLARED_TYPES.all) {
    const records = Array.from({ length: 20 }, () => newExampleRecord(type, START_MS, random));
    const found = records.map(({ text }) => type.readSourceId(JSON.parse(text) as Record<string, unknown>));
    assert.deepEqual(
      found,
      records.map(({ id }) => id),
    );
    assert.equal(new Set(found).size, 20);
  }
});
