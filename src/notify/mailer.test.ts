/** The mailer against a real SMTP server. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { startMailServer } from "../../test/mail-server.ts";
import { createMailer } from "./mailer.ts";

const MAIL = { subject: "Größe, 日本語", text: "First line\nSecond — line", messageId: "<one@bellwire.test>" };
const FROM = "Bellwire <webhooks@example.com>";

test("sends a letter", async () => {
  await using server = await startMailServer();
  await using mailer = createMailer({ smtpUrl: server.url, from: FROM });
  assert.equal(await mailer.send({ ...MAIL, to: "ana@example.com" }), "taken");
  const [mail] = server.mails;
  assert.deepEqual([mail?.from, mail?.to], ["webhooks@example.com", ["ana@example.com"]]);
  const source = server.mails[0]?.source ?? "";
  assert.match(source, /^From: Bellwire <webhooks@example\.com>\r$/m);
  assert.match(source, /^Message-ID: <one@bellwire\.test>\r$/im);
  assert.match(source, /First line/);
});

test("rejects when the server refuses the letter, and when there is none", async () => {
  const server = await startMailServer();
  server.isRefusing = true;
  await using mailer = createMailer({ smtpUrl: server.url, from: FROM });
  await assert.rejects(mailer.send({ ...MAIL, to: "ana@example.com" }), /try again later/);
  await server[Symbol.asyncDispose]();
  await assert.rejects(mailer.send({ ...MAIL, to: "ana@example.com" }), /ECONNREFUSED/);
});

test("a subject cannot add a header", async () => {
  await using server = await startMailServer();
  await using mailer = createMailer({ smtpUrl: server.url, from: FROM });
  await mailer.send({ ...MAIL, subject: "Hello\r\nBcc: eve@example.com", to: "ana@example.com" });
  assert.doesNotMatch(server.mails[0]?.source ?? "", /^Bcc:/m);
});
