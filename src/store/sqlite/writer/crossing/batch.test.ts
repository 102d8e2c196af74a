import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { ENDED_STATES } from "../../../../domain/delivery.ts";
import { DESTINATION_OFF_REASONS } from "../../../../domain/destination.ts";
import { type Answer, type Call, type PackedSettlement, toCall } from "../../../calls.ts";
import type { AttemptCount } from "../../../contract/log.ts";
import type { AcceptedEvent, NewEvent, SettleResult } from "../../../contract/path.ts";
import { type AttemptColumns, packAttempt } from "../../attempts.ts";
import { packAnswers, packCalls, unpackAnswers, unpackCalls } from "./batch.ts";

/** Any string of JavaScript: lone surrogates, NUL and all. Ids are short, bodies are not. */
const text = fc.string({ unit: "binary" });
const body = fc.oneof(text, fc.string({ unit: "binary", minLength: 128, maxLength: 200 }));
const nullable = <Value>(value: fc.Arbitrary<Value>): fc.Arbitrary<Value | null> => fc.option(value);
const instant = fc.maxSafeNat();

/** With the prototype that every object has that comes out of a message. */
const record = <Value>(model: { [Key in keyof Value]: fc.Arbitrary<Value[Key]> }): fc.Arbitrary<Value> =>
  fc.record<Value>(model, { noNullPrototype: true });
const list = <Value>(item: fc.Arbitrary<Value>): fc.Arbitrary<Value[]> => fc.array(item, { maxLength: 4 });

/** Every field of the contract: one that it gains is missed here by the compiler. */
const event: fc.Arbitrary<Required<NewEvent>> = record<Required<NewEvent>>({
  id: text,
  accountId: text,
  configVersion: instant,
  type: text,
  sourceId: text,
  assistantId: nullable(text),
  body,
  deliveries: list(record({ id: text, destinationId: text, claimed: fc.boolean() })),
  traceContext: nullable(text),
  inboxSeq: nullable(instant),
  notSent: nullable(text),
});

const attempt = record({
  number: instant,
  status: nullable(fc.nat()),
  totalMs: fc.double(),
  url: body,
  body: nullable(fc.uint8Array()),
}).map(({ number, status, totalMs, url, body: response }) => packAttemptOf({ number, status, totalMs, url, response }));

interface Some {
  readonly number: number;
  readonly status: number | null;
  readonly totalMs: number;
  readonly url: string;
  readonly response: Uint8Array | null;
}

/** Packed by the store's own code, whatever columns that has. */
function packAttemptOf({ number, status, totalMs, url, response }: Some): AttemptColumns {
  const timings = { dnsMs: null, connectMs: totalMs, tlsMs: null, firstByteMs: -1, totalMs };
  const answer = { status: status ?? 200, headers: { "x-a": url }, body: response ?? new Uint8Array(), bodyCut: false };
  const outcome =
    status === null
      ? ({ kind: "network_error", code: "ECONNRESET", message: url } as const)
      : ({ kind: "response", response: answer } as const);
  const result = { outcome, timings, address: status === null ? null : url };
  return packAttempt({ number, startedAtMs: number, url, requestHeaders: { [url]: url }, result });
}

const settlement: fc.Arbitrary<Required<PackedSettlement<AttemptColumns>>> = record({
  deliveryId: text,
  accountId: fc.constant(""),
  claimToken: text,
  attempt,
  next: fc.oneof(
    record({ state: fc.constant("pending" as const), dueAtMs: instant }),
    record({ state: fc.constantFrom(...ENDED_STATES) }),
  ),
  isFree: fc.boolean(),
  isTrial: fc.boolean(),
  destinationOff: nullable(fc.constantFrom(...DESTINATION_OFF_REASONS)),
  holdUntilMs: nullable(instant),
  setUpAtMs: nullable(instant),
});

const claim = record({ token: text, untilMs: instant });
const call: fc.Arbitrary<Call<AttemptColumns>> = fc.oneof(
  record({ nowMs: instant, claim, events: list(event) }).map((params) =>
    toCall<"acceptEvents", AttemptColumns>("acceptEvents", params),
  ),
  record({ nowMs: instant, settlements: list(settlement) }).map((params) =>
    toCall<"settleAttemptsIfClaimed", AttemptColumns>("settleAttemptsIfClaimed", params),
  ),
  record({ dueAtMs: instant, claims: list(record({ deliveryId: text, accountId: text, claimToken: text })) }).map(
    (params) => toCall<"releaseClaims", AttemptColumns>("releaseClaims", params),
  ),
  record({ accountId: text, fromMs: instant, toMs: instant, bucketMs: instant }).map((params) =>
    toCall<"countAttempts", AttemptColumns>("countAttempts", params),
  ),
);

test("a batch of any calls crosses whole and in its order", () => {
  fc.assert(
    fc.property(list(call), (calls) => {
      assert.deepEqual(unpackCalls(structuredClone(packCalls(calls))), calls);
    }),
  );
});

const accepted: fc.Arbitrary<Required<AcceptedEvent>> = fc.oneof(
  record({ kind: fc.constant("accepted" as const), unclaimed: list(text) }),
  record({ kind: fc.constant("duplicate" as const), eventId: text, deliveries: fc.nat(), differs: fc.boolean() }),
  record({ kind: fc.constant("config_changed" as const) }),
);
const settled: fc.Arbitrary<Required<SettleResult>> = fc.oneof(
  record({
    kind: fc.constant("settled" as const),
    heldUntilMs: instant,
    turnedOff: nullable(fc.constantFrom(...DESTINATION_OFF_REASONS)),
  }),
  record({ kind: fc.constant("claim_lost" as const) }),
);
const failure: fc.Arbitrary<Answer> = record({
  kind: fc.constantFrom("unavailable" as const, "fault" as const),
  error: text.map((message) => new Error(message, { cause: new Error("disk full") })),
});

/** Names that differ in one part only, so that none may stand for another. */
const counted: fc.Arbitrary<AttemptCount> = record({
  destinationId: fc.constantFrom("", "dst_a", "dst_b"),
  atMs: instant,
  kind: fc.constantFrom("attempt" as const, "delivery" as const),
  result: fc.constantFrom("delivered" as const, "retry" as const, "failed" as const),
  code: fc.constantFrom("", "200", "timeout"),
  bin: fc.nat(),
  count: instant,
});

test("the answers of any calls cross whole and in their order", () => {
  const done = (values: fc.Arbitrary<unknown>): fc.Arbitrary<Answer> =>
    values.map((value) => ({ kind: "done" as const, value }));
  const answered = call.chain((each) => {
    const counts = fc.array(counted, { maxLength: 20 });
    const answers = { acceptEvents: list(accepted), settleAttemptsIfClaimed: list(settled), countAttempts: counts };
    const value = answers[each.verb as keyof typeof answers] ?? record({ released: fc.nat() });
    return fc.tuple(fc.constant(each), fc.oneof(done(value), failure));
  });
  fc.assert(
    fc.property(list(answered), (pairs) => {
      const calls = pairs.map(([each]) => each);
      const answers = pairs.map(([, answer]) => answer);
      assert.deepEqual(unpackAnswers(structuredClone(packAnswers(calls, answers))), answers);
    }),
  );
});

test("a field that the caller left out crosses as null", () => {
  const whole: Required<NewEvent> = fc.sample(event, 1)[0] ?? assert.fail("no event");
  const { assistantId: _, traceContext: __, inboxSeq: ___, ...rest } = whole;
  const params = { nowMs: 1, claim: { token: "t", untilMs: 2 }, events: [rest] };
  const calls = unpackCalls(structuredClone(packCalls<AttemptColumns>([toCall("acceptEvents", params)])));
  const events = [{ ...rest, assistantId: null, traceContext: null, inboxSeq: null }];
  assert.deepEqual(calls, [{ verb: "acceptEvents", params: { ...params, events } }]);
});
