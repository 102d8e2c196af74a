import assert from "node:assert/strict";
import { test } from "node:test";
import type { NotSentView } from "../../../src/dashboard/contract/conditions.ts";
import { notSentInWords } from "./not-sent-in-words.ts";

type Webhook = NotSentView["webhooks"][number];

const webhook = (name: string): Webhook => ({
  destination: { id: `dst_${name}`, owner: { kind: "alert", id: `alr_${name}`, name, isDeleted: false } },
  why: "intent_level is low, and the alert wants high",
});

test("a row says each reason with its webhook, two at most, and counts the others", () => {
  assert.equal(notSentInWords({ webhooks: [], more: 0 }), "No webhook was set up for it.");
  const one = "Not sent to CRM: intent_level is low, and the alert wants high.";
  assert.equal(notSentInWords({ webhooks: [webhook("CRM")], more: 0 }), one);
  const three = [webhook("CRM"), webhook("Slack"), webhook("Sheet")];
  assert.equal(notSentInWords({ webhooks: three, more: 4 }), `${one} ${one.replace("CRM", "Slack")} And 5 more.`);
  const deleted = { ...webhook("CRM"), destination: null };
  assert.match(notSentInWords({ webhooks: [deleted], more: 0 }), /^Not sent to a deleted webhook: /);
});
