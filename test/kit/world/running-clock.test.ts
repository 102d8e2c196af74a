import assert from "node:assert/strict";
import { test } from "node:test";
import { startRunningClock } from "./running-clock.ts";

/** Stops this thread, as a busy machine would. */
const stall = (ms: number): void => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);

test("a stop of the process counts as one step, and no timer fires early for it", async () => {
  using clock = startRunningClock();
  const order: string[] = [];
  const startedMs = clock.monotonicMs();
  const done = new Promise<void>((resolve) => {
    clock.after(40, () => resolve(void order.push("40")));
  });
  clock.after(20, () => order.push("20"));
  clock.after(30, () => order.push("cancelled"))();
  stall(200);
  assert.ok(clock.monotonicMs() - startedMs < 20, "200 ms of a stop are not 20 ms of running");
  // This process must stay alive for timers that do not keep it.
  const awake = setInterval(() => {}, 1_000);
  await done;
  clearInterval(awake);
  assert.deepEqual(order, ["20", "40"]);
  assert.ok(clock.monotonicMs() - startedMs >= 40);
});
