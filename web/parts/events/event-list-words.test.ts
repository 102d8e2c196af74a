import assert from "node:assert/strict";
import { test } from "node:test";
import type { NotSentView } from "../../../src/dashboard/contract/conditions.ts";
import { deliveryCounts, noMatch, notSentInWords } from "./event-list-words.ts";

for (const [total, delivered, failed, words, tone] of [
  [0, 0, 0, "None", "quiet"],
  [1, 1, 0, "1 delivered", "ok"],
  [3, 3, 0, "3 delivered", "ok"],
  [2, 0, 0, "2 not delivered", "quiet"],
  [2, 1, 0, "1 of 2 delivered", "quiet"],
  [2, 1, 1, "1 of 2 failed", "bad"],
  [2, 0, 2, "2 failed", "bad"],
] as const) {
  test(`${total} deliveries, ${delivered} delivered and ${failed} failed are "${words}"`, () =>
    assert.deepEqual(deliveryCounts({ total, delivered, failed }), { words, tone }));
}

const notSent = new URLSearchParams({ not_sent: "1" });

test("an empty list says why, by what was asked", () => {
  assert.equal(noMatch(notSent, "session", false), "Every session went to every webhook that there was.");
  const one = new URLSearchParams({ not_sent: "1", webhook: "dst_1" });
  assert.equal(noMatch(one, "session", false), "Every session that is meant for it went to it.");
  const words = "No session has all the words of “jane”, and none has it as its id";
  assert.equal(noMatch(new URLSearchParams({ q: "jane" }), "session", false), `${words}.`);
  const both = new URLSearchParams({ q: "jane", not_sent: "1" });
  assert.equal(noMatch(both, "session", false), `${words}, among those that a webhook did not get.`);
});

test("a list that was read in part claims nothing of what was not read", () => {
  for (const search of [notSent, new URLSearchParams({ q: "jane" })]) {
    assert.equal(noMatch(search, "session", true), "“Older” looks further back.");
  }
});

type Webhook = NotSentView["webhooks"][number];

const webhook = (name: string): Webhook => ({
  destination: { id: `dst_${name}`, owner: { kind: "alert", id: `alr_${name}`, name, isDeleted: false } },
  why: "intent_level is low, and the alert wants high",
});

/** No two webhooks of one name. */
const NONE = new Map<string, string>();

test("a row says each reason with its webhook, two at most, and counts the others", () => {
  assert.equal(notSentInWords({ webhooks: [], more: 0 }, NONE), "No webhook was set up for it.");
  const one = "Not sent to CRM: intent_level is low, and the alert wants high.";
  assert.equal(notSentInWords({ webhooks: [webhook("CRM")], more: 0 }, NONE), one);
  const three = [webhook("CRM"), webhook("Slack"), webhook("Sheet")];
  assert.equal(notSentInWords({ webhooks: three, more: 4 }, NONE), `${one} ${one.replace("CRM", "Slack")} And 5 more.`);
  const deleted = { ...webhook("CRM"), destination: null };
  assert.match(notSentInWords({ webhooks: [deleted], more: 0 }, NONE), /^Not sent to a deleted webhook: /);
  const marks = new Map([["dst_CRM", "a.example/in"]]);
  assert.match(notSentInWords({ webhooks: [webhook("CRM")], more: 0 }, marks), /^Not sent to CRM \(a\.example\/in\): /);
});
