/** The charts' arithmetic at its edges: nothing, one point, gaps, round tops. */
import assert from "node:assert/strict";
import { describe, it, test } from "node:test";
import {
  findLargest,
  type Frame,
  indexAt,
  isEmpty,
  keepUnits,
  linePath,
  stackAt,
  ticksUpTo,
  timeLabels,
  toTimeX,
  toX,
  toY,
} from "./geometry.ts";

const FRAME: Frame = { width: 120, height: 60, left: 20, bottom: 10, top: 0, right: 0 };

describe("ticks", () => {
  const CASES: readonly [largest: number, steps: "numbers" | "milliseconds", ticks: number[]][] = [
    [0, "numbers", [0, 1]],
    [1, "numbers", [0, 1]],
    [3, "numbers", [0, 1, 2, 3]],
    [98, "numbers", [0, 50, 100]],
    [4_512, "numbers", [0, 2_000, 4_000, 6_000]],
    [0, "milliseconds", [0, 1]],
    [212, "milliseconds", [0, 100, 200, 300]],
    [15_000, "milliseconds", [0, 5_000, 10_000, 15_000]],
    [200_000, "milliseconds", [0, 60_000, 120_000, 180_000, 240_000]],
  ];
  for (const [largest, steps, ticks] of CASES) {
    it(`up to ${largest} ${steps}: ${ticks.join(", ")}`, () => assert.deepEqual(ticksUpTo(largest, steps), ticks));
  }

  it("reach the largest value, whatever it is", () => {
    for (let largest = 1; largest < 1e9; largest = Math.ceil(largest * 1.7)) {
      assert.ok((ticksUpTo(largest, "numbers").at(-1) ?? 0) >= largest);
      assert.ok((ticksUpTo(largest, "milliseconds").at(-1) ?? 0) >= largest);
    }
  });
});

describe("places", () => {
  it("the middle of each bucket", () => {
    assert.deepEqual(
      [0, 1].map((index) => toX(index, 2, FRAME)),
      [45, 95],
    );
  });

  it("0 lies on the axis, the top at the top, and what is above stays inside", () => {
    assert.deepEqual(
      [0, 5, 10, 99].map((value) => toY(value, 10, FRAME)),
      [50, 25, 0, 0],
    );
  });

  it("an instant lies between its buckets, and at the edge when it is outside of them", () => {
    const span = { bucketsAtMs: [1_000, 2_000], bucketMs: 1_000 };
    assert.deepEqual(
      [0, 1_000, 1_500, 3_000, 9_000].map((atMs) => toTimeX(atMs, span, FRAME)),
      [20, 20, 45, 120, 120],
    );
  });

  it("an empty chart divides nothing by zero", () => {
    assert.equal(toY(0, 0, FRAME), 50);
    assert.equal(Number.isFinite(toX(0, 0, FRAME)), true);
  });

  it("the bucket under the pointer, inside the chart", () => {
    assert.deepEqual(
      [-50, 20, 69, 70, 500].map((x) => indexAt(x, 2, FRAME)),
      [0, 0, 0, 1, 1],
    );
  });
});

describe("lines", () => {
  it("go from point to point", () => assert.equal(linePath([0, 10], 10, FRAME), "M45 50L95 0"));
  it("leave a gap where there is no data", () => {
    assert.equal(linePath([0, 0, null, 10, 10], 10, FRAME), "M30 50L50 50M90 0L110 0");
  });
  it("show a lone point as a dash", () => assert.equal(linePath([null, 10, null], 10, FRAME), "M68 0h4"));
  it("of nothing are nothing", () => {
    assert.equal(linePath([], 10, FRAME), "");
    assert.equal(linePath([null, null], 10, FRAME), "");
  });
});

describe("stacks", () => {
  const SERIES = [
    [1, null],
    [2, 3],
  ];
  it("stand on each other", () => {
    assert.deepEqual(stackAt(SERIES, 0), [
      { from: 0, to: 1 },
      { from: 1, to: 3 },
    ]);
  });
  it("are as high as their sum", () => {
    assert.equal(findLargest(SERIES, true), 3);
    assert.equal(findLargest(SERIES, false), 3);
    assert.equal(findLargest([], true), 0);
  });
  it("are empty when nothing happened", () => {
    assert.equal(
      isEmpty([
        [0, null],
        [null, 0],
      ]),
      true,
    );
    assert.equal(isEmpty(SERIES), false);
  });
});

/* Labels of the time axis, by the reader's own day whatever the zone is. */

const HOUR_MS = 3_600_000;
const at = (day: number, hour: number, minute = 0): number => new Date(2026, 10, day, hour, minute).getTime();
const texts = (fromMs: number, toMs: number, wanted: number): string[] =>
  timeLabels(fromMs, toMs, wanted).map(({ text }) => text);

describe("labels of the time axis", () => {
  it("stand at even times, wherever the range begins", () => {
    assert.deepEqual(texts(at(21, 11, 7), at(21, 12, 7), 5), ["11:15", "11:30", "11:45", "12:00"]);
    assert.deepEqual(texts(at(20, 13, 15), at(21, 13, 15), 4), ["18:00", "00:00", "06:00", "12:00"]);
  });

  it("are dates beyond two days, at midnight", () => {
    assert.deepEqual(texts(at(14, 6), at(21, 6), 7), [
      "15 Nov",
      "16 Nov",
      "17 Nov",
      "18 Nov",
      "19 Nov",
      "20 Nov",
      "21 Nov",
    ]);
    for (const { atMs } of timeLabels(at(1, 5), at(29, 5), 6)) assert.equal(new Date(atMs).getHours(), 0);
  });

  it("are evenly spread and no more than fit", () => {
    for (const hours of [1, 24, 168, 720]) {
      for (const wanted of [1, 3, 6, 12]) {
        const labels = timeLabels(at(2, 3, 20), at(2, 3, 20) + hours * HOUR_MS, wanted);
        assert.ok(labels.length <= wanted + 1, `${hours} h: ${labels.length} of ${wanted}`);
      }
    }
  });
});

test("a figure and its unit stay in one line, and other words may part", () => {
  assert.equal(
    keepUnits("Half within 87 ms, 99 % within 2 h 10 min. 3 attempts got no answer."),
    "Half within 87\u00a0ms, 99\u00a0% within 2\u00a0h 10\u00a0min. 3 attempts got no answer.",
  );
});
