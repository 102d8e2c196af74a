import assert from "node:assert/strict";
import { test } from "node:test";
import { createSeededRandom } from "../../../test/kit/world/seeded-random.ts";
import { createSampler } from "./span.ts";

const LOW = `${"f".repeat(19)}${"0".repeat(13)}`;
const HIGH = `${"0".repeat(19)}${"f".repeat(13)}`;
const caller = (isSampled: boolean) => ({ traceId: LOW, spanId: "00f067aa0ba902b7", isSampled, traceState: "" });

/** The results for a trace that begins here, one that the caller keeps, and one that it does not. */
const KEPT: readonly [sampler: string, begun: boolean, kept: boolean, notKept: boolean][] = [
  ["always_on", true, true, true],
  ["always_off", false, false, false],
  ["parentbased_always_on", true, true, false],
  ["parentbased_always_off", false, true, false],
  ["parentbased_traceidratio", true, true, false],
  ["traceidratio", true, true, true],
];
for (const [sampler, ...expected] of KEPT) {
  test(`${sampler} decides for a new trace and for a caller's`, () => {
    const isKept = createSampler({ sampler, ratio: 0.5 });
    assert.deepEqual([isKept(LOW, null), isKept(LOW, caller(true)), isKept(LOW, caller(false))], expected);
  });
}

test("a ratio keeps that share of all ids, and the same ones on every node", () => {
  const isKept = createSampler({ sampler: "traceidratio", ratio: 0.25 });
  const random = createSeededRandom(5);
  const ids = Array.from({ length: 4_000 }, () => Buffer.from(random.bytes(16)).toString("hex"));
  const share = ids.filter((id) => isKept(id, null)).length / ids.length;
  assert.ok(Math.abs(share - 0.25) < 0.03, `${share}`);
  assert.deepEqual([isKept(LOW, null), isKept(HIGH, null)], [true, false]);
  assert.equal(createSampler({ sampler: "traceidratio", ratio: 1 })(HIGH, null), true);
  assert.equal(createSampler({ sampler: "traceidratio", ratio: 0 })(LOW, null), false);
});
