import assert from "node:assert/strict";
import { test } from "node:test";
import { NO_ABOUT } from "../../src/domain/event.ts";
import { BUILT_IN_TYPES } from "../../src/events/event-types.ts";
import { knowEventTypes, sourceHref, titleOf, unsentInWords } from "./event-words.ts";

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

test("a row is called by who it is about, and else by its key; only a visitor may be unknown", () => {
  const order = { type: "order.paid", sourceId: "k1" };
  const demo = { type: "demo_viewed", sourceId: "k1" };
  assert.equal(titleOf({ ...order, about: { who: "Noor", what: "ups" } }), "Noor");
  assert.equal(titleOf({ ...order, about: { who: null, what: "ups" } }), "k1");
  assert.equal(titleOf({ ...order, sourceId: null, about: NO_ABOUT }), "order.paid");
  assert.equal(titleOf({ ...demo, about: { who: null, what: "Tour" } }), "Unknown visitor");
  assert.equal(titleOf({ ...demo, about: NO_ABOUT }), "k1", "its payload was purged");
});
