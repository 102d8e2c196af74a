import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { join } from "node:path";
import { createEventType } from "./create-event-type.ts";
import { readEventTypes } from "./read-event-types.ts";

const FOLDER = join(import.meta.dirname, "../../../examples/events");
const UUID = "8c5f0a51-1f0e-4d44-9a55-6ad2f4f1c7b2";
const NOW = Date.UTC(2026, 10, 26, 9, 30);

function readExamples() {
  const read = readEventTypes(FOLDER, { taken: ["demo_viewed", "chat_conversation_completed"] });
  assert.ok(read.ok, JSON.stringify(read, null, 2));
  return read.value;
}

describe("the types in examples/events", () => {
  for (const declaration of readExamples()) {
    const { type, key } = declaration;
    const made = createEventType(declaration);

    test(`${type}: a new example is a record of now under a key of its own`, () => {
      const text = made.newExample(NOW, UUID);
      const [old, parsed] = [made.parse(JSON.stringify(made.example)), made.parse(text)];
      assert.ok(old.ok && parsed.ok);
      assert.notEqual(parsed.value.sourceId, old.value.sourceId, JSON.stringify(key));
      assert.equal(made.readOccurredAt(JSON.parse(text)), "2026-11-26T09:30:00.000Z");
    });

    test(`${type}: a body is the record and the name of its type`, () => {
      const parsed = made.parse(declaration.exampleText);
      assert.ok(parsed.ok);
      const body = parsed.value.buildBody({ appUrl: "https://app.example.com" });
      assert.equal(body, declaration.exampleText.replace(/\}$/, `,"event":"${type}"}`));
      assert.deepEqual(parsed.value.facts.toPayload({ appUrl: "" })["event"], type);
    });

    test(`${type}: lists say who and what, and search has words`, () => {
      assert.equal(made.readAbout(made.example).who, "ada@example.com");
      assert.ok(made.readAbout(made.example).what);
      assert.ok(made.listTexts(made.example).some(({ text }) => text.includes("ada@example.com")));
    });
  }

  test("a number of the example keeps its digits", () => {
    const form = readExamples().find(({ type }) => type === "form_submitted");
    assert.match(form?.exampleText ?? "", /"submission_id":900719925474099312,/);
  });
});
