/** `bellwire serve`: the service alone, until it is asked to stop. */
import { UNNAMED_PERSON, createDashboardLink } from "../accounts/dashboard-link.ts";
import { putAccount } from "../accounts/put-account.ts";
import { type App, createApp } from "../app.ts";
import type { Keys } from "../config/keys.ts";
import type { Config } from "../config/options.ts";
import { type Logger, createLog } from "../observe/log.ts";
import { StoreUnavailable, StoreUnusable } from "../store/contract/store.ts";
import { readArguments } from "./arguments.ts";
import type { CommandIo, LongCommand, LongCommandIo } from "./command.ts";
import { readKeys, readSettings } from "./start-up.ts";

const HELP = `Usage: bellwire serve

Runs the service until it is stopped. Settings come from BELLWIRE_* variables; docs/config.md lists them.
The first start makes the data folder with the database and its keys.`;

/** Made by the first start, so that there is something to sign in to before the product has named its accounts. */
const FIRST_ACCOUNT_ID = "main";
const FIRST_START = "first_start_at";

export const serve: LongCommand = async (io) => {
  const given = readArguments(io, HELP, {});
  if (given.kind === "done") return given.exitCode;
  const config = readSettings(io);
  if (config === null) return 1;
  const keys = readKeys(io, config);
  if (keys === null) return 1;
  return await run(io, config, keys);
};

async function run(io: LongCommandIo, config: Config, keys: Keys): Promise<number> {
  const log = createLog(config.logLevel, io.logOutput);
  const logLinesDropped = (): number => io.logOutput.linesDropped();
  const app = await createApp({ config, keys, log, logLinesDropped }).catch((error: unknown) => unusable(io, error));
  if (app === null) return 1;
  const started = await app.start().catch((error: unknown) => cannotListen(io, config, error));
  if (started === null) {
    await app.stop();
    return 1;
  }
  log.info({ port: started.port, public_url: started.publicUrl, ...databaseFields(config) }, "bellwire.started");
  io.err(`Bellwire is running at ${started.publicUrl}`);
  await greetOnFirstStart(io, app, { config, keys, publicUrl: started.publicUrl });
  const death = await Promise.race([io.stopAsked.then(() => null), app.died]);
  if (death !== null) return await giveUp(io, { app, log }, death);
  log.info({ drain_ms: config.drainMs, deadline_ms: config.shutdownDeadlineMs }, "bellwire.stopping");
  await app.drain();
  await app.stop();
  io.err("Bellwire has stopped.");
  return 0;
}

/** Whoever supervises this process starts another one, which can go on; this one would answer 503 for ever. */
async function giveUp(
  io: CommandIo,
  { app, log }: { readonly app: App; readonly log: Logger },
  death: Error,
): Promise<number> {
  log.fatal({ err: death }, "bellwire.store_ended");
  io.err(`Bellwire cannot go on: ${death.message}. Everything that was accepted is in the database.`);
  await app.stop();
  return 1;
}

const databaseFields = ({ database: { kind }, databasePooler }: Config) =>
  kind === "postgres" ? { database: kind, database_pooler: databasePooler } : { database: kind };

interface Greeting {
  readonly config: Config;
  readonly keys: Keys;
  readonly publicUrl: string;
}

/** People's lines go to standard error: standard output is the log's, one JSON object a line. */
async function greetOnFirstStart(io: CommandIo, app: App, { config, keys, publicUrl }: Greeting): Promise<void> {
  if ((await app.store.loadSetting({ name: FIRST_START })) !== null) return;
  const account = { id: FIRST_ACCOUNT_ID, name: "Main account", plan: "enterprise", appUrl: publicUrl } as const;
  await putAccount(app.accounts, account);
  const value = new Date(app.accounts.clock.nowMs()).toISOString();
  // Of nodes that start first together, one greets.
  if (!(await app.store.saveSettingUnlessThere({ name: FIRST_START, value })).isNew) return;
  const owner = { accountId: FIRST_ACCOUNT_ID, person: UNNAMED_PERSON, role: "owner" } as const;
  const link = await createDashboardLink(app.accounts, owner);
  io.err("");
  io.err(`This is its first start. ${madeWhere(config, keys)}`);
  if (config.apiKeys.length === 0) io.err(`  Intake key     ${keys.apiKeys[0] ?? ""}`);
  if (link.ok) io.err(`  Sign-in link   ${link.value.url}  (works once, for 5 minutes)`);
  io.err(`  First account  ${FIRST_ACCOUNT_ID}`);
  io.err("");
}

function madeWhere(config: Config, keys: Keys): string {
  if (keys.madeFiles.length === 0) return "Its keys come from the settings.";
  return `Its keys are in ${config.dataDir}: keep a copy of encryption-key, without it stored secrets cannot be read.`;
}

function unusable(io: CommandIo, error: unknown): null {
  if (!(error instanceof StoreUnusable) && !(error instanceof StoreUnavailable)) throw error;
  io.err(`Bellwire cannot use its database: ${error.message}`);
  return null;
}

function cannotListen(io: CommandIo, { host, port }: Config, error: unknown): null {
  const code = (error as NodeJS.ErrnoException).code;
  if (code === undefined) throw error;
  io.err(`Bellwire cannot listen on ${host}:${port} (${code}). ${adviceFor(code)}`);
  return null;
}

function adviceFor(code: string): string {
  if (code === "EADDRINUSE")
    return "Another program has this port; set BELLWIRE_PORT to a free one, or stop the other.";
  if (code === "EACCES") return "Ports below 1024 need a permission; set BELLWIRE_PORT to a higher one.";
  return "Set BELLWIRE_HOST to an address of this machine, or to 127.0.0.1.";
}
