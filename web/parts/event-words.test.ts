import assert from "node:assert/strict";
import { test } from "node:test";
import { BUILT_IN_TYPES } from "../../src/events/event-types.ts";
import { knowEventTypes, sourceHref, unsentInWords } from "./event-words.ts";

const session = { eventType: "demo_viewed" } as const;
const conversation = { eventType: "chat_conversation_completed" } as const;

knowEventTypes(BUILT_IN_TYPES.all);

test("an event links to its page, or to the log where its page cannot be named", () => {
  assert.equal(sourceHref("demo_viewed", "a", undefined), "/audience/sessions/a");
  assert.equal(sourceHref("chat_conversation_completed", "a", "b"), "/assistants/b/conversations/a");
  assert.equal(sourceHref("chat_conversation_completed", "a", undefined), "/deliveries?q=a");
  assert.equal(sourceHref("order.paid", "a/b", undefined), "/audience/events/order.paid/a%2Fb");
});

test("an empty log says what matches and was never sent", () => {
  assert.equal(unsentInWords([session]), "1 session matches, but no webhook was sent for it.");
  assert.equal(unsentInWords([conversation, conversation]), "2 conversations match, but no webhook was sent for them.");
  assert.equal(
    unsentInWords([session, conversation]),
    "1 session and 1 conversation match, but no webhook was sent for them.",
  );
});
