/** `bellwire serve`: runs the service and nothing beside it, until it is asked to stop. */
import { type App, createApp } from "../app.ts";
import type { Keys } from "../config/keys.ts";
import type { Config } from "../config/options.ts";
import type { EventTypes } from "../events/event-types.ts";
import { type Logger, createLog } from "../observe/log.ts";
import { StoreUnavailable, StoreUnusable } from "../store/contract/store.ts";
import { readArguments } from "./arguments.ts";
import type { CommandIo, LongCommand, LongCommandIo } from "./command.ts";
import { greetOnFirstStart } from "./greeting.ts";
import { keepTypes } from "./known-types.ts";
import { followFiles, readKeys, readSettings, readTypes } from "./start-up.ts";

const HELP = `Usage: bellwire serve [--hold]

Runs the service until it is stopped. Settings come from BELLWIRE_* variables; docs/config.md lists them.
The first start makes the data folder with the database and its keys.

  --hold            for a drill with a copy: pages work, nothing is accepted or sent, until bellwire adopt is run`;

export const serve: LongCommand = async (io) => {
  const given = readArguments(io, HELP, { hold: { type: "boolean", default: false } });
  if (given.kind === "done") return given.exitCode;
  const config = readSettings(io);
  if (config === null) return 1;
  const keys = readKeys(io, config);
  if (keys === null) return 1;
  const types = readTypes(io, config);
  if (types === null) return 1;
  return await run(io, { config, keys, types, holds: given.values.hold });
};

interface AtStart {
  readonly config: Config;
  readonly keys: Keys;
  readonly types: EventTypes;
  readonly holds: boolean;
}

async function run(io: LongCommandIo, { types, holds, ...atStart }: AtStart): Promise<number> {
  const log = createLog(atStart.config.logLevel, io.logOutput);
  const { config, keys } = followFiles({ env: io.env, log }, atStart.config, atStart.keys);
  const logLinesDropped = (): number => io.logOutput.linesDropped();
  const app = await createApp({ config, keys, types, log, holds, logLinesDropped }).catch((error: unknown) =>
    unusable(io, error),
  );
  if (app === null) return 1;
  const started = await app.start().catch((error: unknown) => cannotListen(io, config, error));
  if (started === null) {
    await app.stop();
    return 1;
  }
  log.info({ port: started.port, public_url: started.publicUrl, ...databaseFields(config) }, "bellwire.started");
  io.err(`Bellwire is running at ${started.publicUrl}`);
  if (app.hold.problem !== null) io.err(`It is held. ${app.hold.problem.detail}`);
  const { store, accounts } = app;
  const kept = keepTypes({ store, types, clock: accounts.clock, log });
  const greeting = greetOnFirstStart(io, { store, accounts, config, keys, publicUrl: started.publicUrl });
  const greeted = Promise.all([greeting, kept.catch((err: unknown) => log.warn({ err }, "event_types.not_kept"))]);
  const death = await Promise.race([io.stopAsked.then(() => null), app.died, greeted.then(() => app.died)]);
  if (death !== null) return await giveUp(io, { app, log }, death);
  log.info({ deadline_ms: config.shutdownDeadlineMs }, "bellwire.stopping");
  await app.drain();
  await app.stop();
  io.err("Bellwire has stopped.");
  return 0;
}

/** The process's supervisor starts another one, which can continue; this one would answer 503 until then. */
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
