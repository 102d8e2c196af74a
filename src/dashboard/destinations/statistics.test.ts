import assert from "node:assert/strict";
import { test } from "node:test";
import { findBin } from "../../domain/histogram.ts";
import { minutesMs } from "../../lib/duration.ts";
import type { AttemptCount } from "../../store/contract/log.ts";
import { ACCOUNT, answer, createWorld, session, toValue } from "../../../test/kit/world/world.ts";
import { START_MS } from "../../../test/kit/world/virtual-clock.ts";
import { createAnswers, toProblem } from "../../../test/kit/world/answers.ts";
import { toAnswer } from "./statistics.ts";

const BUCKET_MS = minutesMs(1);
const SPAN = {
  range: "1h",
  fromMs: START_MS,
  toMs: START_MS + 3 * BUCKET_MS,
  bucketMs: BUCKET_MS,
  nowMs: START_MS,
  incidents: [],
} as const;

const count = (changes: Partial<AttemptCount>): AttemptCount => ({
  destinationId: "dst_1",
  atMs: START_MS,
  kind: "attempt",
  result: "delivered",
  code: "200",
  bin: findBin(100),
  count: 1,
  ...changes,
});

const figures = (counts: readonly AttemptCount[], before: readonly AttemptCount[] = []) =>
  toAnswer({ ...SPAN, counts, before });

/** Bins are a factor of 1.25 wide, and their upper edge is shown. */
const isAbout = (shown: number | undefined, ms: number) =>
  assert.ok(shown !== undefined && shown >= ms && shown <= ms * 1.26, `${shown} is not about ${ms}`);

test("every bucket of the span is there, in order, and empty ones have no percentiles", () => {
  const { buckets } = figures([count({ atMs: START_MS + BUCKET_MS, count: 3 })]);
  assert.deepEqual(
    buckets.map(({ atMs, delivered }) => [atMs - START_MS, delivered]),
    [
      [0, 0],
      [BUCKET_MS, 3],
      [2 * BUCKET_MS, 0],
    ],
  );
  assert.equal(buckets[0]?.responseMs, null);
  assert.equal(buckets[0]?.deliverMs, null);
});

test("no data at all is empty, and not an error", () => {
  const { buckets, codes, totals, before } = figures([]);
  assert.equal(buckets.length, 3);
  assert.deepEqual([codes, before], [[], null]);
  const nothing = { attempts: 0, delivered: 0, failed: 0, timeouts: 0 };
  assert.deepEqual(totals, { ...nothing, responseMs: null, deliverMs: null });
});

test("attempts are told apart by what follows them", () => {
  const { buckets, totals } = figures([
    count({ count: 5 }),
    count({ result: "retry", code: "503", count: 3 }),
    count({ result: "failed", code: "500", count: 2 }),
  ]);
  const { delivered, willRetry, failed } = buckets[0] ?? assert.fail();
  assert.deepEqual([delivered, willRetry, failed], [5, 3, 2]);
  assert.equal(totals.attempts, 10);
});

test("timeouts are counted apart and are in no percentile of response times", () => {
  const { totals } = figures([
    count({ bin: findBin(100), count: 10 }),
    count({ result: "retry", code: "timeout", bin: findBin(15_000), count: 90 }),
    count({ result: "retry", code: "network_error", bin: findBin(1), count: 90 }),
  ]);
  assert.equal(totals.timeouts, 90);
  isAbout(totals.responseMs?.p99, 100);
  isAbout(totals.responseMs?.p50, 100);
});

test("percentiles of a period come from all its attempts, and are no average of its buckets'", () => {
  const { totals, buckets } = figures([
    count({ bin: findBin(10), count: 99 }),
    count({ atMs: START_MS + BUCKET_MS, bin: findBin(10_000), count: 1 }),
  ]);
  isAbout(buckets[1]?.responseMs?.p50, 10_000);
  isAbout(totals.responseMs?.p50, 10);
  isAbout(totals.responseMs?.p95, 10);
});

test("the time to deliver is kept apart from the time to respond", () => {
  const { totals } = figures([count({ bin: findBin(100) }), count({ kind: "delivery", bin: findBin(60_000) })]);
  isAbout(totals.responseMs?.p50, 100);
  isAbout(totals.deliverMs?.p50, 60_000);
  assert.equal(totals.attempts, 1);
});

test("codes come most frequent first", () => {
  const { codes } = figures([
    count({ code: "503", result: "retry", count: 2 }),
    count({ code: "200", count: 7 }),
    count({ code: "timeout", result: "retry", count: 2 }),
    count({ code: "503", result: "failed", count: 1 }),
  ]);
  assert.deepEqual(codes, [
    { code: "200", count: 7 },
    { code: "503", count: 3 },
    { code: "timeout", count: 2 },
  ]);
});

test("the period before has its own totals", () => {
  const { totals, before } = figures([count({ count: 15 })], [count({ count: 4 })]);
  assert.deepEqual([totals.delivered, before?.delivered], [15, 4]);
});

test("what the engine has settled is what the page shows, tests left out", async () => {
  const world = await createWorld({ receiver: (_request, place) => answer(place === 1 ? 503 : 200) });
  await world.setUpAccount();
  toValue(await world.setUpAlert());
  await world.acceptOne(session(1));
  await world.run();
  await world.clock.advance(10_000);
  await world.run();
  const fromMs = START_MS - minutesMs(60);
  const span = { fromMs, toMs: START_MS + minutesMs(60), bucketMs: minutesMs(60) };
  const counts = await world.store.countAttempts({ accountId: ACCOUNT, ...span });
  const { totals, codes } = toAnswer({ range: "1h", ...span, nowMs: START_MS, incidents: [], counts, before: [] });
  assert.deepEqual([totals.attempts, totals.delivered, totals.failed], [2, 1, 0]);
  assert.deepEqual(codes.map(({ code }) => code).toSorted(), ["200", "503"]);
});

test("the ranges are drawn in 60 to 96 buckets, and end with the one that has begun, or with its hour", async () => {
  await using answers = await createAnswers();
  const nowMs = answers.app.accounts.clock.nowMs();
  for (const range of ["1h", "24h", "7d", "30d"] as const) {
    const { buckets, fromMs, toMs, bucketMs } = toValue(await answers.call("GET /statistics", { query: { range } }));
    assert.ok(buckets.length >= 60 && buckets.length <= 96, `${range} has ${buckets.length}`);
    assert.deepEqual([buckets[0]?.atMs, (buckets.at(-1)?.atMs ?? 0) + bucketMs], [fromMs, toMs]);
    const untilMs = range === "24h" ? minutesMs(60) : bucketMs;
    assert.ok(toMs > nowMs && toMs - untilMs <= nowMs + minutesMs(1));
  }
  const query = { range: "2y" };
  assert.equal(toProblem(await answers.call("GET /statistics", { query })).code, "invalid_parameter");
});
