/** The settings of e-mail: texts that are accepted, and that a refused address with a password is never repeated. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { parseMailFrom, parseSmtpUrl } from "./option-text.ts";

for (const url of [
  "smtp://mail.example.com",
  "smtp://ana:p%40ss@mail.example.com:587",
  "smtps://mail.example.com:465/",
]) {
  test(`${url} is a mail server`, () => assert.deepEqual(parseSmtpUrl(url), { ok: true, value: url }));
}

for (const url of [
  "mail.example.com",
  "https://mail.example.com",
  "smtp://",
  "smtp://ana:hunter2@host/path/more",
  "smtp:",
]) {
  test(`${url} is none, and the message does not repeat it`, () => {
    const parsed = parseSmtpUrl(url);
    assert.equal(parsed.ok, false);
    assert.doesNotMatch(JSON.stringify(parsed), /hunter2/);
  });
}

for (const [password, code] of [
  ["hun#ter2", "%23"],
  ["hun/ter2", "%2F"],
  ["hun?ter2", "%3F"],
] as const) {
  test(`a mail server's password with ${decodeURIComponent(code)} is told by that`, () => {
    const parsed = parseSmtpUrl(`smtp://ana:${password}@mail.example.com:587`);
    const right = `write ${code} in its place, as in smtp://name:pass${code}word@mail.example.com:587`;
    assert.ok(!parsed.ok);
    assert.match(parsed.error[0] ?? "", new RegExp(`^has . in its user or password; ${right}$`));
  });
}

for (const from of ["a@b.example", "Bellwire <webhooks@example.com>"]) {
  test(`${from} is a sender`, () => assert.equal(parseMailFrom(from).ok, true));
}

for (const from of [
  "",
  "nobody",
  "a@b@c",
  "a@b.example\r\nBcc: x@y.example",
  "<>",
  "a b@c.example",
  "A <a@b>, <c@d>",
  "web–hooks@example.com",
  "Bellwire <webhooks＠example.com>",
]) {
  test(`${JSON.stringify(from)} is none`, () => assert.equal(parseMailFrom(from).ok, false));
}
