import assert from "node:assert/strict";
import { test } from "node:test";
import { systemRandom } from "./random.ts";

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex");

test("gives as many bytes as were asked for, also more than it keeps ready", () => {
  for (const count of [0, 1, 10, 32, 8_191, 8_192, 8_193, 100_000]) {
    assert.equal(systemRandom.bytes(count).length, count);
  }
});

test("never gives the same bytes twice, also across the end of what it keeps ready", () => {
  const given = Array.from({ length: 10_000 }, () => hex(systemRandom.bytes(12)));
  assert.equal(new Set(given).size, given.length);
  assert.ok(!given.includes("0".repeat(24)), "bytes that were wiped are not given out");
});

test("what it gave is the caller's alone", () => {
  const first = systemRandom.bytes(16);
  const before = hex(first);
  systemRandom.bytes(16).fill(0);
  assert.equal(hex(first), before);
  assert.equal(first.buffer.byteLength, 16, "no view of bytes that others get");
});

test("uses every value of a byte about equally often", () => {
  const counts = Array.from({ length: 256 }, () => 0);
  for (let round = 0; round < 4_000; round += 1) {
    for (const byte of systemRandom.bytes(64)) counts[byte] = (counts[byte] ?? 0) + 1;
  }
  // 1,000 are expected of each; ten standard deviations away means that something is broken, not bad luck.
  assert.ok(
    Math.min(...counts) > 680 && Math.max(...counts) < 1_320,
    `${Math.min(...counts)} to ${Math.max(...counts)}`,
  );
});
