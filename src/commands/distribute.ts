/**
 * `bellwire distribute`: spreads the PostgreSQL database of the settings over the workers of its Citus, while nodes
 * run. `store/postgres/citus/` does it; this file is its command line.
 */
import type { Config } from "../config/options.ts";
import { type Result, ok, refuse } from "../domain/problem.ts";
import { systemClock } from "../lib/clock.ts";
import { StoreUnavailable, StoreUnusable } from "../store/contract/store.ts";
import { SHARDS_MAX } from "../store/postgres/citus/shards.ts";
import { openDistribution } from "../store/postgres/citus/open.ts";
import { misuse, readArguments } from "./arguments.ts";
import type { Command, CommandIo } from "./command.ts";
import { createDistributeLines } from "./distribute-lines.ts";
import { readSettings } from "./start-up.ts";

const HELP = `Usage: bellwire distribute [--blocking] [--shards number]

Spreads the database of the settings (BELLWIRE_DATABASE: the coordinator) over the workers of its Citus. Nodes go on
running: writes wait for some seconds at the end of a table. Started again after it was stopped or killed, it goes on
with the tables that are left. docs/distributed.md says what to do before and after.

  --blocking       copies faster, and writes to a table wait until it is done; for a database that no node uses
  --shards number  2, 4, 8, 16 or 32, which is the default: as many workers can share the load`;

const FLAGS = { blocking: { type: "boolean", default: false }, shards: { type: "string" } } as const;

export const distribute: Command = async (io) => {
  const given = readArguments(io, HELP, FLAGS);
  if (given.kind === "done") return given.exitCode;
  const shards = readShards(given.values.shards);
  if (!shards.ok) return misuse(io, HELP, shards.error);
  const config = readSettings(io);
  if (config === null) return 1;
  if (config.database.kind !== "postgres") {
    io.err(
      "BELLWIRE_DATABASE names a SQLite database. docs/move-to-postgres.md says how to move it to PostgreSQL first.",
    );
    return 1;
  }
  const wanted = { url: config.database.url, isOnline: !given.values.blocking, shards: shards.value };
  try {
    return await run(io, config, wanted);
  } catch (error) {
    if (!(error instanceof StoreUnusable) && !(error instanceof StoreUnavailable)) throw error;
    io.err(`${error.message}.`);
    if (error instanceof StoreUnavailable) io.err("Run the same command again when that is mended: it goes on.");
    return 1;
  }
};

function readShards(text = String(SHARDS_MAX)): Result<number, string> {
  const allowed = [2, 4, 8, 16, SHARDS_MAX];
  const number = allowed.find((each) => String(each) === text);
  return number === undefined ? refuse(`--shards must be 2, 4, 8, 16 or 32; it is "${text}"`) : ok(number);
}

interface Wanted {
  readonly url: string;
  readonly isOnline: boolean;
  readonly shards: number;
}

async function run(io: CommandIo, { databasePooler }: Config, { url, isOnline, shards }: Wanted): Promise<number> {
  if (databasePooler !== "none") {
    io.err("distribute needs the server itself: name it in BELLWIRE_DATABASE, without BELLWIRE_DATABASE_POOLER.");
    return 1;
  }
  await using distribution = await openDistribution(url, systemClock);
  const lines = createDistributeLines({ clock: systemClock, isOnline, write: io.err });
  let isStopping = false;
  void io.stopAsked.then(() => {
    isStopping = true;
    // Where it cannot be called off, it stops behind this table.
    distribution.callOff().catch(() => {});
  });
  const watching = lines.watch(distribution.workersBytes);
  const ended = await distribution
    .run({ isOnline, shards, tell: lines.tell, isStopping: () => isStopping })
    .finally(() => watching[Symbol.dispose]());
  return tellEnd(io, ended);
}

function tellEnd(io: CommandIo, ended: "distributed" | "nothing left" | "stopped"): number {
  switch (ended) {
    case "distributed":
      io.err("Everything is distributed. bellwire doctor says which shards are on which worker.");
      return 0;
    case "nothing left":
      io.err("Everything was distributed before.");
      return 0;
    case "stopped":
      io.err(
        "Stopped. What is distributed stays so. Run the same command again: it goes on with the tables that are left.",
      );
      return 1;
  }
}
