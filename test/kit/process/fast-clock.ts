/**
 * The service on a clock that runs faster, as a program of its own: for tests with real processes about what takes
 * minutes. All processes with one start of the clock see the same time, so a restart goes on where a crash was.
 */
import { systemClock } from "../../../src/lib/clock.ts";
import { runService } from "./run-service.ts";

const SPEED = 20;
const startMs = Number(process.env["E2E_CLOCK_START_MS"] ?? Date.now());

const clock = {
  nowMs: () => Math.round(startMs + (systemClock.nowMs() - startMs) * SPEED),
  monotonicMs: () => systemClock.monotonicMs() * SPEED,
  after: (delayMs: number, fire: () => void) => systemClock.after(delayMs / SPEED, fire),
};
await runService({ changes: { clock } });
