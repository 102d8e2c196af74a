import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { createIsoText } from "./written-times.ts";

const instant = fc.oneof(
  // Neighbours, so that seconds repeat, end and run backwards.
  fc.integer({ min: 1_790_000_000_000, max: 1_790_000_004_000 }),
  fc.integer({ min: -62_167_219_200_000, max: 253_402_300_799_999 }),
  fc.integer({ min: -5_000, max: 5_000 }),
);

test("any order of instants is written as a date writes it", () => {
  fc.assert(
    fc.property(fc.array(instant, { minLength: 1, maxLength: 50 }), (instants) => {
      const isoText = createIsoText();
      for (const ms of instants) assert.equal(isoText(ms), new Date(ms).toISOString());
    }),
  );
});

test("a part of a millisecond is left out", () => {
  const isoText = createIsoText();
  for (const ms of [1_790_000_000_000.9, 1_790_000_000_001.5, 1_790_000_000_999.9])
    assert.equal(isoText(ms), new Date(ms).toISOString());
});
