import assert from "node:assert/strict";
import { test } from "node:test";
import { unsentInWords } from "./event-words.ts";

const session = { eventType: "demo_viewed" } as const;
const conversation = { eventType: "chat_conversation_completed" } as const;

test("an empty log says what matches and was never sent", () => {
  assert.equal(unsentInWords([session]), "1 session matches, but no webhook was sent for it.");
  assert.equal(unsentInWords([conversation, conversation]), "2 conversations match, but no webhook was sent for them.");
  assert.equal(
    unsentInWords([session, conversation]),
    "1 session and 1 conversation match, but no webhook was sent for them.",
  );
});
