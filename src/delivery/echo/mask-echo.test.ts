import assert from "node:assert/strict";
import { test } from "node:test";
import type { SendResult } from "../../domain/attempt.ts";
import { maskEcho } from "./mask-echo.ts";
import { MASK } from "../send/request.ts";

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

const AWKWARD = { name: "X-Token", value: 'c4nary/"quoted"\\+key', secret: true };
for (const [how, written] of [
  ["as it is", AWKWARD.value],
  ["in JSON", 'c4nary/\\"quoted\\"\\\\+key'],
  ["in JSON as PHP writes it", 'c4nary\\/\\"quoted\\"\\\\+key'],
  ["in an address", "c4nary%2F%22quoted%22%5C%2Bkey"],
] as const) {
  test(`also when it comes back ${how}`, () => {
    const { body, headers } = masked(answered(`<${written}>`, { location: `/?t=${written}` }), [AWKWARD]);
    assert.deepEqual([body, headers["location"]], [`<${MASK}>`, `/?t=${MASK}`]);
  });
}

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
