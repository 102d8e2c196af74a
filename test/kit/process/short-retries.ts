/**
 * The service with a retry schedule of milliseconds, run by tests as a program of its own, and with a clock that is
 * wrong if a test wants it. The schedule is not a setting, because nobody should run another one than the documented
 * one; everything else is as in `bellwire serve`.
 */
import { createApp } from "../../../src/app.ts";
import { readSettings, readKeys } from "../../../src/commands/start-up.ts";
import { readEnv } from "../../../src/config/env.ts";
import { systemClock } from "../../../src/lib/clock.ts";
import { FOR_LOG, createLog } from "../../../src/observe/log.ts";
import { openStandardOutput } from "../../../src/observe/standard-output.ts";

/** Chaos runs wait longer and more often than tests: what they break stays broken for a while. */
const RETRY_MS = Number(process.env["E2E_RETRY_MS"] ?? 50);
const RETRIES = Number(process.env["E2E_RETRIES"] ?? 9);
/** How far this machine's clock seems to be ahead of the others'; below 0 it is behind. */
const CLOCK_AHEAD_MS = Number(process.env["E2E_CLOCK_AHEAD_MS"] ?? 0);

const { promise: stopAsked, resolve: askToStop } = Promise.withResolvers<void>();
process.once("SIGTERM", askToStop);

const io = { args: [], env: readEnv(), out: console.log, err: console.error, stopAsked };
const config = readSettings(io);
const keys = config === null ? null : readKeys(io, config);
if (config === null || keys === null) process.exit(1);

const schedule = { delaysMs: Array.from({ length: RETRIES }, () => RETRY_MS), jitter: 0 };
const clock = { ...systemClock, nowMs: () => systemClock.nowMs() + CLOCK_AHEAD_MS };
const app = await createApp({
  config,
  keys,
  log: createLog(config.logLevel, openStandardOutput(1, FOR_LOG)),
  schedule,
  clock,
});
const { publicUrl } = await app.start();
io.err(`Bellwire is running at ${publicUrl}`);
await stopAsked;
await app.drain();
await app.stop();
process.exit(0);
