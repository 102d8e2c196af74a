/** The letters' words: who, what, since when, what to do; and that no name can add a line. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { StoredNotice } from "../store/dashboard-verbs.ts";
import { failureLetter } from "./failure-mail.ts";

const NOTICE: StoredNotice = {
  seq: 7,
  kind: "failing",
  atMs: Date.UTC(2026, 10, 21, 11, 14),
  accountId: "acme",
  accountName: "Acme Inc",
  destination: {
    id: "dst_1",
    url: "https://crm.example.com/in?token=s3cret",
    owner: { kind: "alert", id: "alr_1", name: "Leads to CRM", isDeleted: false },
    offReason: null,
    failingSinceMs: Date.UTC(2026, 10, 21, 11, 12),
    lastFailure: { atMs: Date.UTC(2026, 10, 21, 11, 13), outcome: "response", status: 503 },
  },
  addresses: ["ana@example.com"],
};
const URL_OF_US = "https://webhooks.example.com/bellwire";

test("says that a destination fails, since when, what it answered, and where to look", () => {
  const { subject, text } = failureLetter(NOTICE, URL_OF_US);
  assert.equal(subject, "Webhooks to crm.example.com are failing");
  assert.match(
    text,
    /^Deliveries to crm\.example\.com have failed since 2026-11-21 11:12 UTC\.\nAlert: Leads to CRM\n/,
  );
  assert.match(text, /Last answer: 503, at 2026-11-21 11:13 UTC/);
  assert.match(text, /https:\/\/webhooks\.example\.com\/bellwire\/settings\/alerts\/alr_1\n/);
  assert.match(text, /Change that: https:\/\/webhooks\.example\.com\/bellwire\/settings\/account$/);
});

test("never repeats the path or the query of a Webhook URL: they may carry secrets", () => {
  assert.doesNotMatch(JSON.stringify(failureLetter(NOTICE, URL_OF_US)), /s3cret|\/in\b/);
});

test("says why it was turned off, and how to turn it on", () => {
  const off = (offReason: "gone" | "failing") =>
    failureLetter({ ...NOTICE, kind: "turned_off", destination: { ...NOTICE.destination, offReason } }, URL_OF_US);
  assert.match(off("gone").text, /answered 410 Gone/);
  assert.match(off("failing").text, /failed for five days/);
  assert.equal(off("failing").subject, "Webhooks to crm.example.com are turned off");
});

test("says that it works again", () => {
  const { subject, text } = failureLetter({ ...NOTICE, kind: "recovered" }, URL_OF_US);
  assert.equal(subject, "Webhooks to crm.example.com arrive again");
  assert.match(text, /2026-11-21 11:14 UTC/);
});

test("leads to the Integrations tab of a chat assistant", () => {
  const owner = { kind: "assistant", id: "bot 1", name: "Bot", isDeleted: false } as const;
  const { text } = failureLetter({ ...NOTICE, destination: { ...NOTICE.destination, owner } }, URL_OF_US);
  assert.match(text, /\/assistants\/bot%201\?tab=integrations\n/);
  assert.match(text, /Chat assistant: Bot/);
});

test("keeps a name from starting a line of its own", () => {
  const owner = { ...NOTICE.destination.owner, name: "Leads\r\nBcc: x@y.example\u2028Hello" };
  const { text } = failureLetter({ ...NOTICE, destination: { ...NOTICE.destination, owner } }, URL_OF_US);
  assert.match(text, /^Alert: Leads Bcc: x@y\.example Hello$/m);
});
