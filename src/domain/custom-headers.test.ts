import assert from "node:assert/strict";
import { test } from "node:test";
import { checkCustomHeaders } from "./custom-headers.ts";
import type { CustomHeader } from "./destination.ts";

const SIGNATURE = "x-service-signature";
const row = (name: string, value = "v"): CustomHeader => ({ name, value, secret: false });
const errorsOf = (headers: CustomHeader[]) => {
  const checked = checkCustomHeaders(headers, SIGNATURE);
  return checked.ok ? [] : checked.error;
};

test("ordinary names and values pass", () => {
  const headers = [row("Authorization", "Bearer abc"), row("X-Team", ""), row("x-tag", "caffè\tlatte")];
  assert.deepEqual(errorsOf(headers), []);
});

const RESERVED = [
  "Host",
  "connection",
  "Keep-Alive",
  "Content-Type",
  "content-length",
  "Transfer-Encoding",
  "TE",
  "Trailer",
  "Upgrade",
  "Expect",
  "Date",
  "User-Agent",
  "Proxy-Authorization",
  "Forwarded",
  "X-Forwarded-For",
  "X-Real-IP",
  "Via",
  "Cookie",
  "Sec-Fetch-Site",
  "Webhook-Id",
  "webhook-signature",
  "X-Service-Signature",
  "Bellwire-Test",
  "bellwire-anything",
];
for (const name of RESERVED) {
  test(`${name} cannot be a custom header`, () => {
    assert.match(errorsOf([row("ok"), row(name)])[0]?.message ?? "", /set by the service itself/);
    assert.equal(errorsOf([row("ok"), row(name)])[0]?.path, "headers[1].name");
  });
}

const BAD_ROWS: [string, CustomHeader, string, RegExp][] = [
  ["an empty name", row(""), "headers[0].name", /is empty/],
  ["a name with a space", row("X Team"), "headers[0].name", /no spaces/],
  ["a name with a colon", row("X-Team:"), "headers[0].name", /no colon/],
  ["a name with a line break", row("X\r\nEvil"), "headers[0].name", /letters, digits/],
  ["a name of 129 characters", row("x".repeat(129)), "headers[0].name", /longer than 128/],
  ["a value with CR LF", row("x", "a\r\nEvil: 1"), "headers[0].value", /no line breaks/],
  ["a value with NUL", row("x", "a\0"), "headers[0].value", /Latin-1/],
  ["a value outside Latin-1", row("x", "日本"), "headers[0].value", /Latin-1/],
  ["a value of 4097 characters", row("x", "v".repeat(4_097)), "headers[0].value", /longer than 4096/],
];
for (const [what, header, path, message] of BAD_ROWS) {
  test(`${what} is refused in its row`, () => {
    const [error] = errorsOf([header]);
    assert.equal(error?.path, path);
    assert.match(error?.message ?? "", message);
  });
}

test("the same name twice is refused, whatever its case", () => {
  assert.deepEqual(errorsOf([row("X-Team"), row("x-team")]), [
    { path: "headers[1].name", message: '"x-team" is already in row 1; each name can be sent once' },
  ]);
});

test("20 rows pass and 21 do not", () => {
  const rows = (count: number) => Array.from({ length: count }, (_, index) => row(`x-${index}`));
  assert.deepEqual(errorsOf(rows(20)), []);
  assert.match(errorsOf(rows(21))[0]?.message ?? "", /21 rows; at most 20/);
});

test("16 KiB in all pass and one byte more does not", () => {
  const full = Array.from({ length: 4 }, (_, index) => row(`x-${index}`, "v".repeat(4_093)));
  assert.deepEqual(errorsOf(full), []);
  assert.match(errorsOf([...full, row("y", "")])[0]?.message ?? "", /16385 bytes/);
});
