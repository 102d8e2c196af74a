import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { systemRandom } from "../lib/random.ts";
import { newId } from "./id.ts";

test("an id has its prefix and 26 characters", () => {
  assert.match(newId("dlv", 1_790_000_000_000, systemRandom), /^dlv_[0-9a-hjkmnp-tv-z]{26}$/);
});

test("ids sort by the time they were made", () => {
  const instant = fc.integer({ min: 0, max: 253_402_300_799_999 });
  fc.assert(
    fc.property(instant, instant, (first, second) => {
      fc.pre(first < second);
      assert.ok(newId("evt", first, systemRandom) < newId("evt", second, systemRandom));
    }),
  );
});

test("ten thousand ids of one millisecond differ", () => {
  const ids = new Set(Array.from({ length: 10_000 }, () => newId("evt", 5, systemRandom)));
  assert.equal(ids.size, 10_000);
});
