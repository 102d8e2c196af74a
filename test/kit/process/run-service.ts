/**
 * The service as `bellwire serve` runs it, for programs that change one thing about it: a schedule, a clock, a name
 * server. Tests and benches start such a program as a process of its own; it ends on SIGTERM.
 */
import { type App, createApp } from "../../../src/app.ts";
import type { AppOptions } from "../../../src/app/options.ts";
import { followFiles, readKeys, readSettings, readTypes } from "../../../src/commands/start-up.ts";
import { readEnv, readVariable } from "../../../src/config/env.ts";
import { FOR_LOG, createLog } from "../../../src/observe/log.ts";
import { openStandardOutput } from "../../../src/observe/standard-output.ts";

export interface RunParams {
  readonly changes?: Partial<AppOptions>;
  /** Before it starts. */
  readonly onCreated?: (app: App) => void;
}

/** Does not return: the process ends with the service. */
export async function runService({ changes = {}, onCreated = () => {} }: RunParams): Promise<never> {
  const { promise: stopAsked, resolve: askToStop } = Promise.withResolvers<void>();
  process.once("SIGTERM", askToStop);
  const io = { args: [], env: readEnv(), variable: readVariable, out: console.log, err: console.error, stopAsked };
  const config = readSettings(io);
  const keys = config === null ? null : readKeys(io, config);
  const types = config === null ? null : readTypes(io, config);
  if (config === null || keys === null || types === null) process.exit(1);
  const log = createLog(config.logLevel, openStandardOutput(1, FOR_LOG));
  const app = await createApp({ ...followFiles({ env: io.env, log }, config, keys), types, log, ...changes });
  onCreated(app);
  const { publicUrl } = await app.start();
  io.err(`Bellwire is running at ${publicUrl}`);
  await stopAsked;
  await app.drain();
  await app.stop();
  process.exit(0);
}
