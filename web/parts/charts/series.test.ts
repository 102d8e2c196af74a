import assert from "node:assert/strict";
import { test } from "node:test";
import type { StatisticsAnswer } from "../../../src/dashboard/contract/statistics.ts";
import { attemptsChart, findBands } from "./series.ts";

type Given = readonly [delivered: number, willRetry: number];
type Incidents = StatisticsAnswer["incidents"];

/** Buckets of 10 ms from 0 on; the last one holds the present. */
function answer(given: readonly Given[], incidents: Incidents = []): StatisticsAnswer {
  const figures = { failed: 0, timeouts: 0, responseMs: null, deliverMs: null };
  const buckets = given.map(([delivered, willRetry], place) => ({
    ...figures,
    atMs: place * 10,
    delivered,
    willRetry,
  }));
  const delivered = given.reduce((sum, [each]) => sum + each, 0);
  const attempts = given.reduce((sum, [each, other]) => sum + each + other, 0);
  const totals = { ...figures, attempts, delivered };
  const span = { range: "1h", fromMs: 0, toMs: given.length * 10, bucketMs: 10, nowMs: given.length * 10 - 5 } as const;
  return { ...span, buckets, incidents, totals, codes: [], before: null, deadlineMs: 30_000 };
}

const LASTS: Incidents = [{ fromMs: 12, toMs: null }];

test("a chart is marked where a good share of what it shows was in trouble", () => {
  assert.deepEqual(
    findBands(
      answer(
        [
          [10, 0],
          [0, 4],
          [0, 9],
        ],
        LASTS,
      ),
    ),
    [{ fromMs: 12, toMs: null }],
  );
  assert.deepEqual(
    findBands(
      answer(
        [
          [90, 0],
          [80, 9],
          [90, 9],
        ],
        LASTS,
      ),
    ),
    [],
    "11 of 82 webhooks are no red chart",
  );
  assert.deepEqual(
    findBands(
      answer(
        [
          [90, 0],
          [10, 9],
          [90, 9],
        ],
        LASTS,
      ),
    ),
    [{ fromMs: 12, toMs: 20 }],
  );
});

test("a bucket without attempts is as the one before it, because a receiver that is down is tried now and then", () => {
  assert.deepEqual(
    findBands(
      answer(
        [
          [5, 0],
          [0, 5],
          [0, 0],
          [0, 0],
        ],
        LASTS,
      ),
    ),
    [{ fromMs: 12, toMs: null }],
  );
  assert.deepEqual(
    findBands(
      answer(
        [
          [5, 0],
          [9, 1],
          [0, 0],
          [0, 0],
        ],
        LASTS,
      ),
    ),
    [],
  );
});

test("incidents of several webhooks at once are one band, and each ends with its own", () => {
  const both: Incidents = [
    { fromMs: 22, toMs: 28 },
    { fromMs: 11, toMs: 24 },
    { fromMs: 3, toMs: 3 },
  ];
  assert.deepEqual(
    findBands(
      answer(
        [
          [0, 5],
          [0, 5],
          [0, 5],
          [5, 0],
        ],
        both,
      ),
    ),
    [
      { fromMs: 3, toMs: 3 },
      { fromMs: 11, toMs: 28 },
    ],
  );
});

test("the sentence over the attempts has no share beside the success rate", () => {
  assert.equal(
    attemptsChart(answer([[1_990, 10]])).summary,
    "2,000 attempts: 1,990 delivered, 10 tried again, none failed for good.",
  );
});
