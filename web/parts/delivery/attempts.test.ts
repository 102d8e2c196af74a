import assert from "node:assert/strict";
import { test } from "node:test";
import type { AttemptView, DeliveryDetail } from "../../../src/dashboard/contract/deliveries.ts";
import type { SentRequest } from "../../curl.ts";
import { redirected, timingSegments, toSteps } from "./attempts.ts";

type Life = Pick<
  DeliveryDetail,
  "status" | "createdAtMs" | "attempts" | "resent" | "isTest" | "nextAttemptAtMs" | "settledAtMs"
>;

const attempt = (number: number, startedAtMs: number) => ({ number, startedAtMs }) as AttemptView;
const LIFE: Life = {
  status: "delivered",
  createdAtMs: 10,
  attempts: [attempt(1, 20)],
  resent: null,
  isTest: false,
  nextAttemptAtMs: null,
  settledAtMs: 30,
};

/** Each step as a word and its time or number. */
function steps(changes: Partial<Life>): readonly string[] {
  return toSteps({ ...LIFE, ...changes } as DeliveryDetail).map((step) =>
    step.kind === "attempt" ? `attempt ${step.attempt.number}` : `${step.kind} ${step.atMs}`,
  );
}

for (const [name, changes, expected] of [
  ["delivered", {}, ["accepted 10", "attempt 1"]],
  ["retrying", { status: "retrying", nextAttemptAtMs: 99 }, ["accepted 10", "attempt 1", "next 99"]],
  ["waiting while paused", { status: "waiting", attempts: [] }, ["accepted 10", "next null"]],
  ["cancelled", { status: "cancelled", attempts: [], settledAtMs: 40 }, ["accepted 10", "cancelled 40"]],
  [
    "sent again between two attempts",
    { attempts: [attempt(1, 20), attempt(2, 60)], resent: { by: "Ana", atMs: 50 } },
    ["accepted 10", "attempt 1", "resent 50", "attempt 2"],
  ],
  [
    "sent again, and not gone out yet",
    { status: "waiting", nextAttemptAtMs: 99, resent: { by: "Ana", atMs: 50 } },
    ["accepted 10", "attempt 1", "resent 50", "next 99"],
  ],
  ["a test", { isTest: true, status: "failed" }, ["attempt 1"]],
] as const) {
  test(`the steps of a life: ${name}`, () => assert.deepEqual(steps(changes), expected));
}

const NONE = { dnsMs: null, connectMs: null, tlsMs: null, firstByteMs: null, totalMs: 0 };

test("the pieces follow each other and fill the bar", () => {
  const segments = timingSegments({ dnsMs: 10, connectMs: 20, tlsMs: 30, firstByteMs: 160, totalMs: 200 }, true);
  assert.deepEqual(
    segments.map(({ id, ms, start, share }) => [id, ms, Number(start.toFixed(3)), Number(share.toFixed(3))]),
    [
      ["dns", 10, 0, 0.05],
      ["connect", 20, 0.05, 0.1],
      ["tls", 30, 0.15, 0.15],
      ["waiting", 100, 0.3, 0.5],
      ["reading", 40, 0.8, 0.2],
    ],
  );
});

test("an open connection spares the opening", () => {
  const segments = timingSegments({ ...NONE, firstByteMs: 50, totalMs: 60 }, true);
  assert.deepEqual(
    segments.map(({ id }) => id),
    ["waiting", "reading"],
  );
});

test("without an answer the rest was waited for", () => {
  const segments = timingSegments({ ...NONE, dnsMs: 5, connectMs: 5, totalMs: 15_000 }, false);
  assert.deepEqual(
    segments.map(({ id, ms }) => [id, ms]),
    [
      ["dns", 5],
      ["connect", 5],
      ["other", 14_990],
    ],
  );
});

test("an answer that began and was never complete is not said to have been read", () => {
  const segments = timingSegments({ ...NONE, firstByteMs: 50, totalMs: 146 }, false);
  assert.deepEqual(
    segments.map(({ id, label, ms }) => [id, label, ms]),
    [
      ["waiting", "Waiting for the first byte", 50],
      ["other", "Waiting for the rest of the answer", 96],
    ],
  );
});

test("no time at all has no pieces, and no share that is not a number", () => {
  assert.deepEqual(timingSegments(NONE, true), []);
  const odd = timingSegments({ ...NONE, dnsMs: 9, firstByteMs: 3, totalMs: 4 }, true);
  assert.equal(
    odd.every(({ share, start }) => Number.isFinite(share) && start + share <= 1.0001),
    true,
  );
});

const REQUEST: SentRequest = { url: "https://crm.example.com/in/leads?team=1", headers: {}, body: "{}" };

for (const [typed, url] of [
  ["http://localhost:3000", "http://localhost:3000/in/leads?team=1"],
  ["localhost:3000", "http://localhost:3000/in/leads?team=1"],
  [" 127.0.0.1:8080/ ", "http://127.0.0.1:8080/in/leads?team=1"],
  ["https://test.example.com/other", "https://test.example.com/other"],
  ["http://localhost:3000/#x", "http://localhost:3000/in/leads?team=1"],
] as const) {
  test(`sends the request to ${typed.trim()} instead`, () => assert.equal(redirected(REQUEST, typed)?.url, url));
}

test("what is no http address is no target", () => {
  for (const typed of ["", "  ", "ftp://a.example", "http://", "a b"])
    assert.equal(redirected(REQUEST, typed), null, typed);
});
