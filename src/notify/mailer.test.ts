/** The mailer against a real SMTP server. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type MailServer, startMailServer } from "../../test/kit/servers/mail-server.ts";
import { createMailer } from "./mailer.ts";
import { smtpPlace, readSmtpProtection } from "../egress/smtp-protection.ts";

const MAIL = { subject: "Größe, 日本語", text: "First line\nSecond — line", messageId: "<one@bellwire.test>" };
const FROM = "Bellwire <webhooks@example.com>";

const mailerTo = (smtpUrl: string) => createMailer({ smtpUrl, from: FROM });

/** This machine under an address that does not count as loopback, with a name and a password. */
const toFarUrl = ({ url }: MailServer): string => url.replace("127.0.0.1", "bell:hunter2@0.0.0.0");

test("sends an e-mail", async () => {
  await using server = await startMailServer();
  await using mailer = mailerTo(server.url);
  assert.equal(await mailer.send({ ...MAIL, to: "ana@example.com" }), "taken");
  const [mail] = server.mails;
  assert.deepEqual([mail?.from, mail?.to], ["webhooks@example.com", ["ana@example.com"]]);
  const source = server.mails[0]?.source ?? "";
  assert.match(source, /^From: Bellwire <webhooks@example\.com>\r$/m);
  assert.match(source, /^Message-ID: <one@bellwire\.test>\r$/im);
  assert.match(source, /First line/);
});

test("rejects when the server refuses the e-mail, and when there is none", async () => {
  const server = await startMailServer();
  server.isRefusing = true;
  await using mailer = mailerTo(server.url);
  await assert.rejects(mailer.send({ ...MAIL, to: "ana@example.com" }), /try again later/);
  await server[Symbol.asyncDispose]();
  await assert.rejects(mailer.send({ ...MAIL, to: "ana@example.com" }), /ECONNREFUSED/);
});

test("a subject cannot add a header", async () => {
  await using server = await startMailServer();
  await using mailer = mailerTo(server.url);
  await mailer.send({ ...MAIL, subject: "Hello\r\nBcc: eve@example.com", to: "ana@example.com" });
  assert.doesNotMatch(server.mails[0]?.source ?? "", /^Bcc:/m);
});

for (const query of ["", "?requireTLS=false", "?ignoreTLS=true", "?opportunisticTLS=true", "?secured=true"]) {
  test(`a password never leaves without TLS, and the e-mail waits: smtp://…${query}`, async () => {
    await using server = await startMailServer();
    await using mailer = mailerTo(`${toFarUrl(server)}/${query}`);
    const refusal = /^Error: 0\.0\.0\.0:\d+ could not be reached by STARTTLS.*smtps:/;
    await assert.rejects(mailer.send({ ...MAIL, to: "ana@example.com" }), refusal);
    await assert.rejects(mailer.check(), refusal);
    assert.deepEqual([server.logins, server.mails], [[], []]);
  });
}

test("a password goes out over STARTTLS where it is offered", async () => {
  await using server = await startMailServer({ offersTls: true });
  await using mailer = mailerTo(`${toFarUrl(server)}/?tls.rejectUnauthorized=false`);
  assert.equal(await mailer.send({ ...MAIL, to: "ana@example.com" }), "taken");
  assert.deepEqual(server.logins, [{ password: "hunter2", isSecure: true }]);
});

test("a self-signed certificate is not trusted with a password", async () => {
  await using server = await startMailServer({ offersTls: true });
  await using mailer = mailerTo(toFarUrl(server));
  await assert.rejects(mailer.send({ ...MAIL, to: "ana@example.com" }));
  assert.deepEqual(server.logins, []);
});

test("a password to a server on this machine needs no TLS", async () => {
  await using server = await startMailServer();
  await using near = mailerTo(server.url.replace("//", "//bell:hunter2@"));
  await near.check();
  assert.equal(server.logins.length, 1);
});

for (const [url, expected] of [
  ["smtps://a:b@mail.example.com", "tls"],
  ["smtp://a:b@mail.example.com", "starttls"],
  ["smtp://:b@mail.example.com", "starttls"],
  ["smtp://mail.example.com", "no_password"],
  ["smtp://a:b@LOCALHOST:25", "loopback"],
  ["smtp://a:b@127.0.0.9", "loopback"],
  ["smtp://a:b@[::1]", "loopback"],
  ["smtp://a:b@localhost.example.com", "starttls"],
  ["smtp://a:b@127.0.0.1.example.com", "starttls"],
] as const) {
  test(`${url} is protected by ${expected}`, () => assert.equal(readSmtpProtection(url), expected));
}

test("an address is shown without its password", () => {
  assert.equal(smtpPlace("smtp://a:b@mail.example.com"), "mail.example.com:587");
  assert.equal(smtpPlace("smtps://a:b@mail.example.com"), "mail.example.com:465");
  assert.equal(smtpPlace("smtp://a:b@mail.example.com:25"), "mail.example.com:25");
});
