/**
 * The service as `bellwire serve` runs it, watched from inside: what a process used of the CPU and how long its event
 * loop stood still cannot be seen from outside on a machine that others use too. SIGUSR2 prints both since the last
 * time, as a line of standard error.
 */
import { monitorEventLoopDelay } from "node:perf_hooks";
import { createApp } from "../src/app.ts";
import { readKeys, readSettings } from "../src/commands/start-up.ts";
import { readEnv } from "../src/config/env.ts";
import { FOR_LOG, createLog } from "../src/observe/log.ts";
import { openStandardOutput } from "../src/observe/standard-output.ts";

const RESOLUTION_MS = 1;

const { promise: stopAsked, resolve: askToStop } = Promise.withResolvers<void>();
process.once("SIGTERM", askToStop);
const io = { args: [], env: readEnv(), out: console.log, err: console.error, stopAsked };
const config = readSettings(io);
const keys = config === null ? null : readKeys(io, config);
if (config === null || keys === null) process.exit(1);
const app = await createApp({ config, keys, log: createLog(config.logLevel, openStandardOutput(1, FOR_LOG)) });
const { publicUrl } = await app.start();
watch();
io.err(`Bellwire is running at ${publicUrl}`);
await stopAsked;
await app.stop();
process.exit(0);

function watch(): void {
  const delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delays.enable();
  let since = process.cpuUsage();
  let count = 0;
  process.on("SIGUSR2", () => {
    const { user, system } = process.cpuUsage(since);
    const seen = { cpuMs: (user + system) / 1000, stallMs: delays.max / 1e6 - RESOLUTION_MS };
    since = process.cpuUsage();
    delays.reset();
    count += 1;
    io.err(`watched ${count} ${JSON.stringify(seen)}`);
  });
}
