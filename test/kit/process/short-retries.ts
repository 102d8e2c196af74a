/**
 * The service with a retry schedule of milliseconds, run by tests as a program of its own. The schedule is not a
 * setting: every installation keeps the documented one. Its clock may be as wrong as `odd-node.ts` has it.
 */
import { systemClock } from "../../../src/lib/clock.ts";
import { runService } from "./run-service.ts";

/** Chaos runs wait longer and more often than tests: what they break stays broken for a while. */
const RETRY_MS = Number(process.env["E2E_RETRY_MS"] ?? 50);
const RETRIES = Number(process.env["E2E_RETRIES"] ?? 9);

const CLOCK_AHEAD_MS = Number(process.env["E2E_CLOCK_AHEAD_MS"] ?? 0);

const clock = { ...systemClock, nowMs: () => systemClock.nowMs() + CLOCK_AHEAD_MS };
const schedule = { delaysMs: Array.from({ length: RETRIES }, () => RETRY_MS), jitter: 0 };
await runService({ changes: { clock, schedule } });
