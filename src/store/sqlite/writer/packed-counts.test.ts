import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { type Answer, type Call, toCall } from "../../calls.ts";
import type { AttemptCount } from "../../contract/log.ts";
import { packAnswer, unpackAnswer } from "./packed-counts.ts";

const COUNT: Call<unknown> = toCall("countAttempts", { accountId: "a", fromMs: 0, toMs: 1, bucketMs: 1 });

/** Names that differ in one part only, so that none may stand for another. */
const counted: fc.Arbitrary<AttemptCount> = fc.record(
  {
    destinationId: fc.constantFrom("", "dst_a", "dst_b"),
    atMs: fc.maxSafeNat(),
    kind: fc.constantFrom("attempt" as const, "delivery" as const),
    result: fc.constantFrom("delivered" as const, "retry" as const, "failed" as const),
    code: fc.constantFrom("", "200", "timeout"),
    bin: fc.nat(),
    count: fc.maxSafeNat(),
  },
  { noNullPrototype: true },
);

test("the charts' figures cross whole and in their order", () => {
  fc.assert(
    fc.property(fc.array(counted, { maxLength: 20 }), (value) => {
      const answer: Answer = { kind: "done", value };
      assert.deepEqual(unpackAnswer(COUNT, structuredClone(packAnswer(COUNT, answer))), answer);
    }),
  );
});

test("a name that many rows share crosses once", () => {
  const row = { destinationId: "dst_a", kind: "attempt", result: "delivered", code: "200", bin: 3, count: 1 };
  const value = Array.from({ length: 9 }, (_, atMs) => ({ ...row, atMs }));
  const packed = packAnswer(COUNT, { kind: "done", value });
  assert.ok(packed.kind === "done");
  assert.equal((packed.value as { names: readonly unknown[] }).names.length, 1);
});

test("other answers, and failures, cross as they are", () => {
  const done: Answer = { kind: "done", value: [] };
  const failed: Answer = { kind: "fault", error: new Error("disk full") };
  assert.equal(packAnswer(toCall("releaseClaims", { dueAtMs: 0, claims: [] }), done), done);
  assert.equal(packAnswer(COUNT, failed), failed);
});
