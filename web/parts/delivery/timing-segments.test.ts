import assert from "node:assert/strict";
import { test } from "node:test";
import { timingSegments } from "./timing-segments.ts";

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
