import assert from "node:assert/strict";
import { test } from "node:test";
import { learnServiceClock, serviceNowMs } from "./service-clock.ts";

const dateIn = (ms: number) => new Date(Date.now() + ms).toUTCString();
const ahead = () => Math.round((serviceNowMs() - Date.now()) / 10_000) * 10 + 0;

const ROWS: readonly [header: () => string | null, aheadSeconds: number][] = [
  [() => dateIn(-1_500), 0],
  [() => dateIn(600_000), 600],
  [() => dateIn(598_000), 600],
  [() => null, 600],
  [() => "a while ago", 600],
  [() => dateIn(-600_000), -600],
  [() => dateIn(0), 0],
];

test("the service's clock follows the Date of its answers, and small differences do not move it", () => {
  for (const [header, aheadSeconds] of ROWS) {
    learnServiceClock(header());
    assert.equal(ahead(), aheadSeconds);
  }
});
