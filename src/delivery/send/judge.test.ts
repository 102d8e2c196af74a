import assert from "node:assert/strict";
import { test } from "node:test";
import type { Outcome } from "../../domain/attempt.ts";
import { LIMITS } from "../../domain/limits.ts";
import { RETRY_SCHEDULE } from "../../domain/retry-schedule.ts";
import { daysMs, hoursMs, secondsMs } from "../../lib/duration.ts";
import { judge } from "./judge.ts";

const NOW = Date.UTC(2026, 10, 20, 12);
const answered = (status: number, headers: Record<string, string> = {}): Outcome => ({
  kind: "response",
  response: { status, headers, body: new Uint8Array(), bodyCut: false },
});
const judged = (outcome: Outcome, attemptNumber = 1, waitedMs = 0) =>
  judge({
    outcome,
    attemptNumber,
    pendingSinceMs: NOW - waitedMs,
    schedule: RETRY_SCHEDULE,
    nowMs: NOW,
    unit: 0.5,
  });
const retryAt = (dueAtMs: number) => ({
  kind: "retry",
  dueAtMs,
  isFree: false,
  destinationOff: null,
  holdUntilMs: null,
});

for (const status of [200, 201, 202, 204, 299]) {
  test(`${status} is delivered`, () => {
    assert.deepEqual(judged(answered(status)), { kind: "delivered" });
  });
}

const FAILURES: [string, Outcome][] = [
  ...[199, 300, 301, 302, 307, 308, 400, 401, 404, 429, 500, 503, 600, 999].map((status): [string, Outcome] => [
    `status ${status}`,
    answered(status),
  ]),
  ["a timeout", { kind: "timeout", phase: "headers" }],
  ["a DNS error", { kind: "dns_error", code: "ENOTFOUND", message: "" }],
  ["a TLS error", { kind: "tls_error", code: "CERT_HAS_EXPIRED", message: "" }],
  ["a reset", { kind: "network_error", code: "ECONNRESET", message: "" }],
  ["a blocked address", { kind: "blocked", message: "" }],
  ["no access token", { kind: "token_error", code: "TOKEN_INVALID_CLIENT", message: "" }],
  ["a proxy that could not connect", { kind: "proxy_error", code: "PROXY_STATUS_502", message: "" }],
  ["a proxy that was too slow", { kind: "proxy_error", code: "PROXY_STATUS_504", message: "" }],
  ["a proxy that hung up on the CONNECT", { kind: "proxy_error", code: "PROXY_CLOSED", message: "" }],
];
for (const [what, outcome] of FAILURES) {
  test(`${what} is tried again after 5 s, and is final after the tenth attempt`, () => {
    assert.deepEqual(judged(outcome), retryAt(NOW + secondsMs(5)));
    assert.deepEqual(judged(outcome, 10), { kind: "exhausted", destinationOff: null, holdUntilMs: null });
  });
}

test("a body that could not be made has failed at once, and holds nothing else back", () => {
  const verdict = { kind: "exhausted", destinationOff: null, holdUntilMs: null };
  assert.deepEqual(judged({ kind: "body_error", message: "" }), verdict);
});

test("the longer of Retry-After and what a chat tool asks for in its body counts, up to the same maximum", () => {
  const heldFor = (retryAfter: string, toolWaitMs: number): number => {
    const outcome = answered(429, { "retry-after": retryAfter });
    const common = { attemptNumber: 1, pendingSinceMs: NOW, schedule: RETRY_SCHEDULE, nowMs: NOW, unit: 0.5 };
    const verdict = judge({ outcome, ...common, toolWaitMs });
    return verdict.kind === "delivered" ? 0 : (verdict.holdUntilMs ?? NOW) - NOW;
  };
  assert.equal(heldFor("3", 64_100), 64_100);
  assert.equal(heldFor("90", 64_100), secondsMs(90));
  assert.equal(heldFor("", 0), 0);
  assert.equal(heldFor("1", daysMs(365)), LIMITS.retryAfterMsMax);
});

const FREE: [string, Outcome][] = [
  ["a fault of ours", { kind: "internal_error", message: "" }],
  ["a proxy that is away", { kind: "proxy_error", code: "PROXY_UNREACHABLE", message: "" }],
  ["a proxy that does not know us", { kind: "proxy_error", code: "PROXY_CREDENTIALS", message: "" }],
  ["a proxy that is none", { kind: "proxy_error", code: "PROXY_PROTOCOL", message: "" }],
];
for (const [what, outcome] of FREE) {
  test(`${what} spends no attempt, not even the tenth, for 14 days and not longer`, () => {
    const free = (dueAtMs: number) => ({ ...retryAt(dueAtMs), isFree: true });
    assert.deepEqual(judged(outcome), free(NOW + secondsMs(30)));
    assert.deepEqual(judged(outcome, 10), free(NOW + secondsMs(30)));
    assert.deepEqual(judged(outcome, 2, hoursMs(1)), free(NOW + secondsMs(180)));
    assert.deepEqual(judged(outcome, 10, daysMs(14) - 1), free(NOW + secondsMs(900)));
    assert.deepEqual(judged(outcome, 1, daysMs(14)), retryAt(NOW + secondsMs(5)));
    assert.equal(judged(outcome, 10, daysMs(14)).kind, "exhausted");
  });
}

test("an age that a clock set back makes negative is none", () => {
  assert.deepEqual(judged({ kind: "internal_error", message: "" }, 1, -hoursMs(1)), {
    ...retryAt(NOW + secondsMs(30)),
    isFree: true,
  });
});

test("410 turns the destination off and keeps the delivery", () => {
  assert.deepEqual(judged(answered(410)), { ...retryAt(NOW + secondsMs(5)), destinationOff: "gone" });
  assert.deepEqual(judged(answered(410), 10), { kind: "exhausted", destinationOff: "gone", holdUntilMs: null });
});

/** The header's value, the delivery's wait, and the time for which the whole destination is held back. */
const RETRY_AFTERS: [string, number, number | null][] = [
  ["120", secondsMs(120), secondsMs(120)],
  ["7\xa0", secondsMs(5), null],
  ["3", secondsMs(5), secondsMs(3)],
  ["1.5", secondsMs(5), secondsMs(2)],
  ["120.0", secondsMs(120), secondsMs(120)],
  ["120.", secondsMs(120), secondsMs(120)],
  ['"120"', secondsMs(120), secondsMs(120)],
  ["120, 120", secondsMs(120), secondsMs(120)],
  ["60 ,soon,\t120", secondsMs(120), secondsMs(120)],
  ["Fri, 20 Nov 2026 12:05:00 GMT, Fri, 20 Nov 2026 12:10:00 GMT", secondsMs(600), secondsMs(600)],
  ["Friday, 20-Nov-26 12:10:00 GMT, 30", secondsMs(600), secondsMs(600)],
  ["fri,  20 nov 2026 12:10:00 utc", secondsMs(600), secondsMs(600)],
  ["1.5.5", secondsMs(5), null],
  [",", secondsMs(5), null],
  ["0", secondsMs(5), null],
  ["-5", secondsMs(5), null],
  ["soon", secondsMs(5), null],
  ["", secondsMs(5), null],
  ["retry 49", secondsMs(5), null],
  ["3600 (seconds)", secondsMs(5), null],
  ["2037-11-20", secondsMs(5), null],
  ["Fri Nov 20 12:10:00 2026", secondsMs(600), secondsMs(600)],
  ["Fri, 20 Nov 2026 12:10:00", secondsMs(5), null],
  ["Friday, 20-Nov-26 12:10:00 GMT", secondsMs(600), secondsMs(600)],
  ["999999999999", hoursMs(24), hoursMs(24)],
  ["Fri, 20 Nov 2026 12:10:00 GMT", secondsMs(600), secondsMs(600)],
  ["Fri, 20 Nov 2026 11:00:00 GMT", secondsMs(5), null],
  ["Fri, 20 Nov 2037 12:00:00 GMT", hoursMs(24), hoursMs(24)],
];
for (const [header, delayMs, holdMs] of RETRY_AFTERS) {
  test(`Retry-After "${header}" waits ${delayMs / 1000} s before the second attempt`, () => {
    const holdUntilMs = holdMs === null ? null : NOW + holdMs;
    assert.deepEqual(judged(answered(429, { "retry-after": header })), { ...retryAt(NOW + delayMs), holdUntilMs });
  });
}

test("Retry-After of the token endpoint holds the destination back like its own", () => {
  const refused = { kind: "token_error", code: "TOKEN_UNAVAILABLE", message: "", retryAfter: "120" } as const;
  assert.deepEqual(judged(refused), { ...retryAt(NOW + secondsMs(120)), holdUntilMs: NOW + secondsMs(120) });
});

test("Retry-After does not shorten the schedule", () => {
  assert.deepEqual(judged(answered(503, { "retry-after": "10" }), 3), {
    ...retryAt(NOW + secondsMs(1_800)),
    holdUntilMs: NOW + secondsMs(10),
  });
});

test("Retry-After adds no attempt after the last one", () => {
  assert.equal(judged(answered(503, { "retry-after": "10" }), 10).kind, "exhausted");
});
