/** The emails' text: who, what, since when, what to do; no name can add a line or carry a message. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { oneLine, plainName } from "../domain/plain-text.ts";
import type { NotificationKind, NotificationLine } from "../domain/notification.ts";
import { confirmationEmail, type NotifiedAccount, notificationEmail, toMail } from "./email-text.ts";

const publicUrl = "https://webhooks.example.com/bellwire";
const LINKS = { publicUrl, stopToken: "STOP" };
const DESTINATION: NotificationLine["destination"] = {
  id: "dst_1",
  url: "https://crm.example.com/in?token=s3cret",
  owner: { kind: "alert", id: "alr_1", name: "Leads to CRM" },
  offReason: null,
  failingSinceMs: Date.UTC(2026, 10, 21, 11, 12),
  lastFailure: { atMs: Date.UTC(2026, 10, 21, 11, 13), outcome: "response", status: 503 },
};

const line = (kind: NotificationKind, parts: Partial<NotificationLine["destination"]> = {}): NotificationLine => ({
  kind,
  atMs: Date.UTC(2026, 10, 21, 11, 14),
  incidentId: kind === "certificate_ends" ? null : "inc_1",
  certificateEndsAtMs: kind === "certificate_ends" ? Date.UTC(2026, 11, 21, 11, 14) : null,
  destination: { ...DESTINATION, ...parts },
});

function makeNotification(
  lines: readonly NotificationLine[],
  counts: Partial<NotifiedAccount["counts"]> = {},
): NotifiedAccount {
  const counted = { turned_off: 0, failing: 0, still_failing: 0, recovered: 0, certificate_ends: 0 };
  for (const { kind } of lines) counted[kind] += 1;
  return { accountName: "Acme Inc", lines, counts: { ...counted, ...counts } };
}

const writeEmail = (lines: readonly NotificationLine[], counts: Partial<NotifiedAccount["counts"]> = {}) =>
  notificationEmail(makeNotification(lines, counts), LINKS);

describe("a notification", () => {
  test("says of one destination that it fails, since when, what it answered, where to look, and how to stop", () => {
    const { subject, text } = writeEmail([line("failing")]);
    assert.equal(subject, "Webhooks to crm.example.com are failing");
    assert.match(text, /^Failing \(1\)\n- crm\.example\.com, alert: Leads to CRM\n {2}Since 2026-11-21 11:12 UTC\. /);
    assert.match(text, /Last answer: 503, at 2026-11-21 11:13 UTC\./);
    assert.match(text, /^ {2}https:\/\/webhooks\.example\.com\/bellwire\/settings\/alerts\/alr_1\?incident=inc_1$/m);
    assert.match(text, /^Stop these emails: https:\/\/webhooks\.example\.com\/bellwire\/mail\/STOP$/m);
  });

  test("has everything that is new in one email, and beside it what fails still", () => {
    const lines = [line("turned_off"), line("failing"), line("failing"), line("recovered"), line("still_failing")];
    const { subject, text } = writeEmail(lines);
    assert.equal(subject, "Webhooks: 1 turned off, 2 failing, 1 arriving again");
    const titles = [...text.matchAll(/^(.+) \(\d+\)$/gm)].map(([, title]) => title);
    assert.deepEqual(titles, ["Turned off", "Failing", "Arriving again", "Still failing"]);
  });

  test("that is a reminder says what still fails, and leads to the page alone when the incident is forgotten", () => {
    const { subject, text } = writeEmail([{ ...line("still_failing"), incidentId: null }]);
    assert.equal(subject, "Webhooks to crm.example.com are still failing");
    assert.match(text, /settings\/alerts\/alr_1$/m);
    assert.equal(writeEmail([], { still_failing: 3 }).subject, "Webhooks: 3 still failing");
  });

  test("names a client certificate that ends, when, and where it is replaced", () => {
    const { subject, text } = writeEmail([line("certificate_ends")]);
    assert.equal(subject, "Webhooks to crm.example.com need a new client certificate");
    assert.match(text, /^With a client certificate that ends \(1\)\n- crm\.example\.com, alert: Leads to CRM\n/);
    assert.match(text, /^ {2}It ends at 2026-12-21 11:14 UTC\. Replace it before, under Authentication\.$/m);
    assert.match(text, /settings\/alerts\/alr_1$/m);
    assert.doesNotMatch(text, /turned off|While a webhook fails/);
  });

  test("of five hundred destinations shows twenty, counts the rest and says where they are", () => {
    const { text, subject } = writeEmail(
      Array.from({ length: 20 }, () => line("failing")),
      { failing: 500 },
    );
    assert.equal(subject, "Webhooks: 500 failing");
    assert.match(text, /^- and 480 more: https:\/\/webhooks\.example\.com\/bellwire\/$/m);
    assert.ok(text.length < 8_000, `${text.length} characters`);
  });

  test("never repeats the path or the query of a Webhook URL: they may carry secrets", () => {
    assert.doesNotMatch(JSON.stringify(writeEmail([line("failing")])), /s3cret|\/in\b/);
  });

  test("says why it was turned off, and how to turn it on", () => {
    const off = (offReason: "gone" | "failing") => writeEmail([line("turned_off", { offReason })]);
    assert.match(off("gone").text, /answered 410 Gone/);
    assert.match(off("failing").text, /failed for five days/);
    assert.match(off("failing").text, /turn the webhook on in\nthe dashboard/);
    assert.equal(off("failing").subject, "Webhooks to crm.example.com are turned off");
  });

  test("says that it works again", () => {
    const { subject, text } = writeEmail([line("recovered")]);
    assert.equal(subject, "Webhooks to crm.example.com arrive again");
    assert.match(text, /Accepted a delivery at 2026-11-21 11:14 UTC/);
  });

  test("leads to the page of a chat assistant's webhook", () => {
    const owner = { kind: "assistant", id: "bot 1", name: "Bot" } as const;
    const { text } = writeEmail([line("failing", { owner })]);
    assert.match(text, /\/assistants\/bot%201\/webhook\?incident=inc_1$/m);
    assert.match(text, /chat assistant: Bot/);
  });

  test("keeps a name to one line and eighty characters", () => {
    const owner = { ...DESTINATION.owner, name: `Leads\r\nBcc: x@y.example\u2028\u202eHello ${"x".repeat(200)}` };
    const [, named = ""] = /alert: (.*)$/m.exec(writeEmail([line("failing", { owner })]).text) ?? [];
    assert.match(named, /^Leads Bcc: x@y\.example Hello x+…$/);
    assert.equal(Array.from(named).length, 80);
  });
});

describe("a confirmation email", () => {
  const asked = { accountName: "Acme Inc", untilMs: Date.UTC(2026, 10, 24, 11, 14) };
  const links = { publicUrl, token: "CONFIRM", stopToken: "STOP" };

  test("says who asks, until when, where to confirm and where to stop", () => {
    const { subject, text } = confirmationEmail(asked, links);
    assert.equal(subject, "Confirm this address for e-mail about failing webhooks");
    assert.match(text, /^Account: Acme Inc\nService: webhooks\.example\.com$/m);
    assert.match(text, /^https:\/\/webhooks\.example\.com\/bellwire\/mail\/CONFIRM$/m);
    assert.match(text, /until 2026-11-24 11:14 UTC/);
    assert.match(text, /^https:\/\/webhooks\.example\.com\/bellwire\/mail\/STOP$/m);
  });

  for (const [name, shown] of [
    ["Acme Inc.", "Acme Inc."],
    ["Müller & Söhne (Köln)", "Müller & Söhne (Köln)"],
    ["Win now: https://evil.example/x?y=1 !", "Win now https evil example x y 1"],
    ["evil.example", "evil example"],
    ["call +1 555 0100", "call +1 555 0100"],
    ["pay to a@b.example\r\n\r\nor else", "pay to a b example or else"],
    ["\u202eexe.moc", "exe moc"],
    ["<b>Acme</b>", "b Acme b"],
    ["日本語株式会社", "日本語株式会社"],
    ["://", "(its name cannot be shown)"],
  ] as const) {
    test(`shows an account named ${JSON.stringify(name)} as ${shown}`, () => {
      const { text } = confirmationEmail({ ...asked, accountName: name }, links);
      assert.match(text, new RegExp(`^Account: ${shown.replaceAll(/[()+.]/g, String.raw`\$&`)}$`, "m"));
      assert.equal(text.match(/:\/\//g)?.length, 2, "no link but ours");
    });
  }

  test("cuts a long name", () => {
    assert.equal(Array.from(plainName("x y ".repeat(50), 40)).length, 40);
    assert.equal(oneLine("x".repeat(50), 10), `${"x".repeat(9)}…`);
  });
});

describe("every email", () => {
  const email = { subject: "S", text: "T" };
  const envelope = { to: "ana@example.com", stopToken: "STOP", publicUrl };

  test("can be stopped by one press in the mail program, where the service has https", () => {
    assert.deepEqual(toMail(email, envelope).headers, {
      "List-Unsubscribe": "<https://webhooks.example.com/bellwire/mail/STOP>",
      "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
    });
    const plain = toMail(email, { ...envelope, publicUrl: "http://localhost:7070" }).headers;
    assert.deepEqual(plain, { "List-Unsubscribe": "<http://localhost:7070/mail/STOP>" });
  });

  test("has an id that is the same for the same email, and another for any other", () => {
    const id = toMail(email, envelope).messageId;
    assert.match(id, /^<bellwire-[0-9a-f]{32}@webhooks\.example\.com>$/);
    assert.equal(toMail(email, envelope).messageId, id);
    assert.notEqual(toMail({ ...email, text: "U" }, envelope).messageId, id);
    assert.notEqual(toMail(email, { ...envelope, to: "bo@example.com" }).messageId, id);
  });
});
