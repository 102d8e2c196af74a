/** The lines of attempts and tests are those that pino writes of the same values as an object. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { AttemptFact } from "../delivery/report.ts";
import type { Verdict } from "../delivery/send/judge.ts";
import type { Outcome, SendResult } from "../domain/attempt.ts";
import { newId } from "../domain/id.ts";
import { CAN_BE_ALLOWED, CLOSED, HTTPS_ONLY } from "../domain/refusal-words.ts";
import { systemRandom } from "../lib/random.ts";
import { createVirtualClock } from "../../test/kit/world/virtual-clock.ts";
import { createTellFailure } from "./failures.ts";
import { createLog } from "./log.ts";
import { createMetrics } from "./metrics.ts";
import { createRepeats } from "../lib/repeats.ts";
import { createReport } from "./report.ts";

/** Anything a receiver, a resolver or an owner may choose: quotes, control characters, lone surrogates, long texts. */
const text = fc.oneof(
  fc.string({ unit: "binary", maxLength: 150 }),
  fc.string({ unit: fc.constantFrom('"', "\\", "\n", "\u0000", "\u007f", "\u2028", "\ud800", "\udc00", "a") }),
);
const ms = fc.double({ min: 0, max: 20_000, noNaN: true });
const instant = fc.integer({ min: 1, max: 253_402_300_799_999 });
const id = (prefix: "dlv" | "evt" | "dst") => instant.map((nowMs) => newId(prefix, nowMs, systemRandom));

const response = { headers: {}, body: new Uint8Array(), bodyCut: false };
const outcome: fc.Arbitrary<Outcome> = fc.oneof(
  fc
    .integer({ min: 100, max: 999 })
    .map((status) => ({ kind: "response", response: { ...response, status } }) as const),
  fc.record({ kind: fc.constant("timeout"), phase: fc.constantFrom("dns", "connect", "headers", "body") }),
  fc.record({
    kind: fc.constantFrom("dns_error", "tls_error", "network_error", "proxy_error", "token_error"),
    code: text,
    message: text,
  }),
  fc.record({ kind: fc.constantFrom("blocked", "internal_error"), message: text }),
);
const destinationOff = fc.constantFrom(null, "gone" as const, "failing" as const);
const verdict: fc.Arbitrary<Verdict> = fc.oneof(
  fc.constant({ kind: "delivered" } as const),
  fc.record({
    kind: fc.constant("retry"),
    dueAtMs: instant,
    destinationOff,
    holdUntilMs: fc.constant(null),
    isFree: fc.boolean(),
  }),
  fc.record({ kind: fc.constant("exhausted"), destinationOff, holdUntilMs: fc.constant(null) }),
);
const met = {
  outcome,
  timings: ms.map((totalMs) => ({ dnsMs: null, connectMs: null, tlsMs: null, firstByteMs: null, totalMs })),
  address: fc.option(text),
};
const result: fc.Arbitrary<SendResult> = fc.oneof(
  fc.record(met),
  fc.record({ ...met, token: fc.constantFrom("kept", "fetched", "renewed") }),
);
const fact: fc.Arbitrary<AttemptFact> = fc.record({
  deliveryId: id("dlv"),
  eventId: id("evt"),
  eventType: fc.constantFrom("demo_viewed", "chat_conversation_completed"),
  accountId: text,
  destinationId: id("dst"),
  attemptNumber: fc.integer({ min: 1, max: 1_000 }),
  origin: text,
  result,
  verdict,
  heldUntilMs: fc.oneof(fc.constant(0), instant),
  waitedMs: ms,
  settleMs: ms,
  traceContext: fc.constant(null),
});

function stage(level = "info") {
  const lines: string[] = [];
  const log = createLog(level, { write: (line) => void lines.push(line) });
  const metrics = createMetrics();
  const repeats = createRepeats(log, createVirtualClock());
  const context = { log, metrics, repeats, tellFailure: createTellFailure(repeats, metrics), traces: null };
  return { lines, log, report: createReport(context) };
}

/** All of a line but its time, which two lines do not share. */
function parseLine(line = ""): Record<string, unknown> {
  assert.ok(line.endsWith("}\n"), "one whole line");
  assert.equal(line.indexOf("\n"), line.length - 1, "one line");
  const { time, ...rest } = JSON.parse(line) as Record<string, unknown>;
  assert.match(String(time), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  return rest;
}

const { report, log, lines } = stage();

function assertLastTwoEqual(): void {
  const [written, byPino] = lines.splice(0);
  assert.deepEqual(parseLine(written), parseLine(byPino));
  assert.deepEqual(Object.keys(parseLine(written)), Object.keys(parseLine(byPino)));
}

test("an attempt's line says what pino says of an object", () => {
  fc.assert(
    fc.property(fact, (attempt) => {
      report.attempted(attempt);
      log[isWarning(attempt.verdict) ? "warn" : "info"](toObject(attempt), "delivery.attempted");
      assertLastTwoEqual();
    }),
    { numRuns: 3_000 },
  );
});

test("a test's line says what pino says of an object", () => {
  fc.assert(
    fc.property(text, id("dlv"), result, (accountId, deliveryId, tested) => {
      report.tested({ accountId, deliveryId, destinationId: null, result: tested });
      log.info({ account_id: accountId, delivery_id: deliveryId, ...resultFields(tested) }, "delivery.tested");
      assertLastTwoEqual();
    }),
    { numRuns: 1_000 },
  );
});

test("a refusal that a setting of the operator's stands behind names the setting in the log", () => {
  const nothing = {
    timings: { dnsMs: null, connectMs: null, tlsMs: null, firstByteMs: null, totalMs: 1 },
    address: null,
  };
  const settings = [`10.0.0.5 is private. ${CAN_BE_ALLOWED}`, `It is closed: ${CLOSED}`, HTTPS_ONLY, "Never."].map(
    (message) => {
      const refused = { ...nothing, outcome: { kind: "blocked", message } as const };
      const deliveryId = newId("dlv", 1, systemRandom);
      report.tested({ accountId: "acme", deliveryId, destinationId: null, result: refused });
      return parseLine(lines.splice(0)[0])["setting"];
    },
  );
  assert.deepEqual(settings, ["BELLWIRE_EGRESS_ALLOW", "BELLWIRE_EGRESS_DENY", "BELLWIRE_HTTPS_ONLY", undefined]);
});

test("a level that is off writes nothing, and one that is turned on later writes", () => {
  const quiet = stage("warn");
  const [attempt] = fc.sample(
    fact.filter(({ verdict: { kind } }) => kind === "delivered"),
    1,
  );
  assert.ok(attempt !== undefined);
  quiet.report.attempted(attempt);
  assert.deepEqual(quiet.lines, []);
  quiet.log.level = "info";
  quiet.report.attempted(attempt);
  assert.equal(quiet.lines.length, 1);
});

const isWarning = (given: Verdict): boolean =>
  given.kind === "exhausted" || (given.kind === "retry" && given.destinationOff !== null);

function toObject({ verdict: given, ...attempt }: AttemptFact): Record<string, unknown> {
  const isRetry = given.kind === "retry";
  const isOff = given.kind !== "delivered" && given.destinationOff !== null;
  return {
    delivery_id: attempt.deliveryId,
    event_id: attempt.eventId,
    event_type: attempt.eventType,
    account_id: attempt.accountId,
    destination_id: attempt.destinationId,
    attempt: attempt.attemptNumber,
    origin: attempt.origin,
    ...resultFields(attempt.result),
    verdict: given.kind,
    ...(isRetry ? { next_attempt_at: new Date(given.dueAtMs).toISOString() } : {}),
    ...(isRetry && given.isFree ? { free: true } : {}),
    ...(attempt.heldUntilMs > 0 ? { destination_held_until: new Date(attempt.heldUntilMs).toISOString() } : {}),
    ...(isOff ? { destination_off: given.destinationOff } : {}),
  };
}

function resultFields({ outcome: end, timings, address, token }: SendResult): Record<string, unknown> {
  const detail = {
    ...(end.kind === "response" ? { status: end.response.status } : {}),
    ...("phase" in end ? { phase: end.phase } : {}),
    ...("code" in end ? { error_code: end.code } : {}),
    ...("message" in end ? { error: end.message } : {}),
  };
  const how = token === undefined ? {} : { token };
  return { outcome: end.kind, ...detail, address, total_ms: Math.round(timings.totalMs * 10) / 10, ...how };
}
