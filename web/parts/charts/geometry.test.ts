/** The charts' arithmetic at its edges: nothing, one point, gaps, round tops. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  type Frame,
  indexAt,
  isEmpty,
  findLargest,
  linePath,
  stackAt,
  ticksUpTo,
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
