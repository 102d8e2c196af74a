import assert from "node:assert/strict";
import { test } from "node:test";
import type { SendResult } from "../domain/attempt.ts";
import { LIMITS } from "../domain/limits.ts";
import { maskEcho } from "./mask-echo.ts";
import { MASK } from "./send/request.ts";

const TIMINGS = { dnsMs: null, connectMs: null, tlsMs: null, firstByteMs: null, totalMs: 1 };
const AUTHORIZATION = { name: "Authorization", value: "Bearer c4nary-token", secret: true };

function answered(body: string, headers: Readonly<Record<string, string>> = {}): SendResult {
  const response = { status: 200, headers, body: Buffer.from(body), bodyCut: false };
  return { outcome: { kind: "response", response }, timings: TIMINGS, address: null };
}

function masked(result: SendResult, headers = [AUTHORIZATION]) {
  const { outcome } = maskEcho(result, headers);
  assert.ok(outcome.kind === "response");
  return { body: Buffer.from(outcome.response.body).toString("utf8"), headers: outcome.response.headers };
}

test("a secret that is sent back is taken out of body and headers, everything else stays", () => {
  const echo = answered('{"authorization":"Bearer c4nary-token","name":"Zoë 東京"}', {
    "x-echo": "a Bearer c4nary-token b",
  });
  assert.deepEqual(masked(echo), {
    body: `{"authorization":"${MASK}","name":"Zoë 東京"}`,
    headers: { "x-echo": `a ${MASK} b` },
  });
});

test("also without its scheme, and however often", () => {
  assert.equal(masked(answered("c4nary-token c4nary-token")).body, `${MASK} ${MASK}`);
});

const AWKWARD = { name: "X-Token", value: 'c4nary/"quoted"\\+k é', secret: true };
for (const [how, written] of [
  ["as it is", AWKWARD.value],
  ["as UTF-8", Buffer.from(AWKWARD.value, "utf8").toString("latin1")],
  ["in JSON", 'c4nary/\\"quoted\\"\\\\+k é'],
  ["in JSON as PHP writes it", 'c4nary\\/\\"quoted\\"\\\\+k é'],
  ["in an address", "c4nary%2F%22quoted%22%5C%2Bk%20%C3%A9"],
  ["in an address in small letters", "c4nary%2f%22quoted%22%5c%2bk%20%c3%a9"],
  ["in a form", "c4nary%2F%22quoted%22%5C%2Bk+%C3%A9"],
] as const) {
  test(`also when it comes back ${how}`, () => {
    const { body, headers } = maskedBytes(Buffer.from(`<${written}>`, "latin1"), { location: `/?t=${written}` });
    assert.deepEqual([body, headers["location"]], [`<${MASK}>`, `/?t=${MASK}`]);
  });
}

function maskedBytes(body: Uint8Array, headers: Readonly<Record<string, string>>) {
  const response = { status: 200, headers, body, bodyCut: false };
  return masked({ outcome: { kind: "response", response }, timings: TIMINGS, address: null }, [AWKWARD]);
}

/** Each stands in an answer of its own. */
const PARTS: readonly (readonly [what: string, secret: string, answer: string, kept: string])[] = [
  ["decoded Basic credentials", `Basic ${btoa("user:pa55-w0rd!")}`, "user:pa55-w0rd!", MASK],
  ["their password alone", `basic ${btoa("user:pa55-w0rd!")}`, "user has pa55-w0rd!", `user has ${MASK}`],
  ["two in a row", "c4nary-token", "c4nary-tokenc4nary-token", MASK],
  ["one that begins within itself", "abcabcabc", "<abcabcabcabc>", `<${MASK}>`],
];
for (const [what, value, answer, kept] of PARTS) {
  test(`a secret is masked: ${what}`, () => {
    assert.equal(masked(answered(answer), [{ name: "authorization", value, secret: true }]).body, kept);
  });
}

test("a secret of which only the beginning was read, or came, is masked", () => {
  const response = { status: 200, headers: {}, body: Buffer.from("got c4nary-t"), bodyCut: true };
  for (const outcome of [
    { kind: "response", response } as const,
    { kind: "response", response: { ...response, bodyCut: false }, message: "It broke off." } as const,
  ]) {
    const { body } = masked({ outcome, timings: TIMINGS, address: null }, [
      { ...AUTHORIZATION, value: "c4nary-token" },
    ]);
    assert.equal(body, `got ${MASK}`);
  }
});

/** `docs/secure.md` excepts them. The table keeps code and document together. */
const EXCEPTED: readonly (readonly [how: string, written: string])[] = [
  ["in capitals", "C4NARY-TOKEN"],
  ["in base64", btoa("c4nary-token")],
  ["in hex", Buffer.from("c4nary-token").toString("hex")],
  ["escaped twice", encodeURIComponent(encodeURIComponent("c4nary/token"))],
  ["in HTML by numbers", "&#99;4nary-token"],
  ["backwards", "nekot-yran4c"],
  ["in pieces", "c4nary and token"],
];
for (const [how, written] of EXCEPTED) {
  test(`the document says that a secret is not found ${how}`, () => {
    const value = how === "escaped twice" ? "c4nary/token" : "c4nary-token";
    assert.equal(masked(answered(written), [{ name: "authorization", value, secret: true }]).body, written);
  });
}

test("the first line of an answer that is refused is masked too", () => {
  const outcome = { kind: "network_error", code: "ANSWER_NOT_HTTP", message: "It began with: c4nary-token" } as const;
  const result = maskEcho({ outcome, timings: TIMINGS, address: null }, [AUTHORIZATION]);
  assert.deepEqual(result.outcome, { ...outcome, message: `It began with: ${MASK}` });
});

test("what an answer costs has a limit, and what is behind it is masked unread", () => {
  const secret = { name: "x-token", value: `${"a".repeat(LIMITS.responseBytesMax / 4 - 1)}b`, secret: true };
  const { body } = masked(answered(`aaaaab ${"a".repeat(LIMITS.responseBytesMax)}`), [secret]);
  assert.match(body, new RegExp(`^aaaaab a{200,300}${MASK}$`));
  assert.equal(masked(answered("a few: aaaaaaaa, b"), [secret]).body, "a few: aaaaaaaa, b");
});

test("what the writings of values cost has a limit too, in any script", () => {
  const value = "é".repeat(LIMITS.responseBytesMax / 4 - 8);
  const secrets = [0, 1, 2, 3].map((nth) => ({ name: `x-${nth}`, value: value + nth, secret: true }));
  const eachMs = Array.from({ length: 20 }, () => {
    const startedMs = performance.now();
    maskEcho(answered("an ordinary answer"), secrets);
    return performance.now() - startedMs;
  });
  assert.ok(Math.min(...eachMs) < 15, `${Math.min(...eachMs)} ms`);
});

test("an answer does not outgrow its limit by the masks in it, and says that it is cut", () => {
  const pin = { name: "x-pin", value: "!?-$%~", secret: true };
  const { outcome } = maskEcho(answered("!?-$%~,".repeat(2_000)), [pin]);
  assert.ok(outcome.kind === "response");
  assert.deepEqual([outcome.response.body.length, outcome.response.bodyCut], [LIMITS.responseBytesMax, true]);
});

test("a value that is not secret, or too short to be, is left alone", () => {
  const team = { name: "X-Team", value: "revenue-operations", secret: false };
  const pin = { name: "X-Pin", value: "12345", secret: true };
  const result = answered("revenue-operations 12345");
  assert.equal(maskEcho(result, [team, pin]), result, "not even copied");
});

test("an outcome without an answer is passed on", () => {
  const result: SendResult = { outcome: { kind: "timeout", phase: "body" }, timings: TIMINGS, address: null };
  assert.equal(maskEcho(result, [AUTHORIZATION]), result);
});

test("bytes that are no text keep their values", () => {
  const response = { status: 200, headers: {}, body: Uint8Array.of(0xff, 0, 0xfe), bodyCut: false };
  const result: SendResult = { outcome: { kind: "response", response }, timings: TIMINGS, address: null };
  assert.equal(maskEcho(result, [AUTHORIZATION]), result);
});

test("a whole answer that ends like the beginning of a secret keeps its words", () => {
  const services = { name: "x-key", value: "services-of-ours", secret: true };
  const result = answered("no_service");
  assert.equal(maskEcho(result, [services]), result);
});
