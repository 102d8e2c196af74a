/** Labels of the time axis, by the reader's own day whatever the zone is. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { timeLabels } from "./time-axis.ts";

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
