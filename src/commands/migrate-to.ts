/**
 * `bellwire migrate-to`: moves the installation of the settings from its SQLite database to PostgreSQL, while no
 * service runs on it. `store/move/` does the move; this file is its command line.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { checkEncryptionKeyIfKnown } from "../accounts/encryption-check.ts";
import type { Config } from "../config/options.ts";
import { ok } from "../lib/result.ts";
import { systemClock } from "../lib/clock.ts";
import { systemRandom } from "../lib/random.ts";
import { createSealer } from "../lib/seal.ts";
import { type Moved, goBack, moveInstallation } from "../store/move/move.ts";
import { type Source, openSource } from "../store/move/source.ts";
import { openTarget } from "../store/move/target.ts";
import { StoreUnavailable, StoreUnusable } from "../store/contract/store.ts";
import { JSON_FLAG, JSON_HELP, misuse, readArgumentsWithWords, show } from "./arguments.ts";
import type { Command, CommandIo } from "./command.ts";
import { createProgressLines } from "./migrate-to-progress.ts";
import { IF_ELSEWHERE, databaseFile } from "./installation.ts";
import { readAddress } from "./read-address.ts";
import { readEncryptionKey, readSettings } from "./start-up.ts";

const HELP = `Usage: bellwire migrate-to postgres://user:password@host/database
       bellwire migrate-to --address-file path
       bellwire migrate-to --go-back [--json]

Moves everything from the SQLite database of the settings (BELLWIRE_DATABASE) to an empty PostgreSQL database, compares
every row, and then lets services start there. Stop the service first. Started again after it was stopped or killed, it
goes on where it was. docs/postgres.md says what to do before and after.

  --address-file path  file that holds the address; one that is given as a word can be seen in the list of processes
  --go-back            lets a service start on the SQLite database again, as it was when the move began
${JSON_HELP}`;

const FLAGS = {
  "address-file": { type: "string" },
  "go-back": { type: "boolean", default: false },
  ...JSON_FLAG,
} as const;

export const migrateTo: Command = async (io) => {
  const given = readArgumentsWithWords(io, HELP, FLAGS);
  if (given.kind === "done") return given.exitCode;
  const { "address-file": addressFile, "go-back": isBack, json } = given.values;
  const address = isBack ? ok(null) : readAddress("migrate-to", given.words, addressFile);
  if (!address.ok) return misuse(io, HELP, address.error);
  if (isBack && (given.words.length > 0 || addressFile !== undefined)) {
    return misuse(io, HELP, "--go-back takes no address: what is at the target stays as it is");
  }
  const config = readSettings(io);
  if (config === null) return 1;
  const path = sourcePath(io, config);
  if (path === null) return 1;
  return await inSource(io, path, (source) =>
    address.value === null ? runBack(io, source, json) : run(io, { config, source, url: address.value, json }),
  );
};

/** `null` after the reason was printed. */
function sourcePath(io: CommandIo, config: Config): string | null {
  if (config.database.kind === "postgres") {
    io.err(
      "BELLWIRE_DATABASE names a PostgreSQL database already. It must name the SQLite database to move away from.",
    );
    return null;
  }
  const path = databaseFile(io, config);
  if (path === null || existsSync(path)) return path;
  io.err(`There is no database ${path}. ${IF_ELSEWHERE}`);
  return null;
}

/** Every refusal of a move is one sentence. */
async function inSource(io: CommandIo, path: string, work: (source: Source) => Promise<number>): Promise<number> {
  try {
    using source = openSource({ path, nowMs: systemClock.nowMs() });
    return await work(source);
  } catch (error) {
    if (!(error instanceof StoreUnusable) && !(error instanceof StoreUnavailable)) throw error;
    io.err(`The move cannot go on: ${error.message}`);
    if (error instanceof StoreUnavailable) io.err("Run the same command again when that is mended: it goes on.");
    return 1;
  }
}

interface Asked {
  readonly config: Config;
  readonly json: boolean;
}

interface Move extends Asked {
  readonly source: Source;
  readonly url: string;
}

async function run(io: CommandIo, { config, source, url, json }: Move): Promise<number> {
  const key = readEncryptionKey(io, config);
  if (key === null) return 1;
  await checkEncryptionKeyIfKnown(source.settings, createSealer(key, systemRandom));
  await using target = await openTarget({ url, pooler: config.databasePooler, clock: systemClock });
  io.err(`Moving ${source.path} to ${target.place}.`);
  let isStopping = false;
  void io.stopAsked.then(() => (isStopping = true));
  const moved = await moveInstallation({
    source,
    target,
    clock: systemClock,
    random: systemRandom,
    onProgress: createProgressLines(systemClock, io.err),
    isStopping: () => isStopping,
  });
  return tell(io, moved, { config, json });
}

function tell(io: CommandIo, moved: Moved, { config, json }: Asked): number {
  if (json) show(io, json, { value: moved, lines: () => [] });
  switch (moved.kind) {
    case "moved":
      for (const { table, rows, hash } of json ? [] : moved.tables) {
        io.out(`${table.padEnd(24)} ${String(rows).padStart(12)} rows  sha256 ${hash}`);
      }
      io.err("Everything has arrived, and every row was compared. The hashes are of both sides.");
      return next(io, config);
    case "moved_before":
      io.err("Everything had arrived and was compared before.");
      return next(io, config);
    case "differs": {
      const { table, what, where } = moved.difference;
      io.err(`The two databases differ in ${table}: ${DIFFERENCES[what]} ${JSON.stringify(where)}.`);
      io.err("No service will start on the target. Empty it (drop schema bellwire cascade), give this move up");
      io.err("(bellwire migrate-to --go-back), see that no other program writes there, and begin again.");
      return 1;
    }
    case "stopped":
      io.err("Stopped. Run the same command again: it goes on where it was.");
      return 1;
  }
}

const DIFFERENCES = {
  missing: "this row is missing at the target,",
  different: "this row is not the same,",
  too_many: "the target has rows that are not the source's,",
} as const;

function next(io: CommandIo, { dataDir, encryptionKey, apiKeys }: Config): 0 {
  const fromFolder = [
    ...(encryptionKey === null ? [`BELLWIRE_ENCRYPTION_KEY, from ${join(dataDir, "encryption-key")}`] : []),
    ...(apiKeys.length === 0 ? [`BELLWIRE_API_KEY, from ${join(dataDir, "intake-key")}`] : []),
  ];
  io.err("");
  io.err("Now set on every node:");
  io.err("  BELLWIRE_DATABASE, to the address that you have just given");
  for (const line of fromFolder) io.err(`  ${line}`);
  io.err("and start them. No service starts on the SQLite database any more; keep it until you are sure.");
  return 0;
}

async function runBack(io: CommandIo, source: Source, json: boolean): Promise<number> {
  const away = await goBack(source);
  if (away === null) {
    io.err(`${source.path} is not being moved and has not moved: there is nothing to go back from.`);
    return 1;
  }
  const { to, endedAt } = away;
  if (json) show(io, json, { value: { kind: "went_back", to, ended_at: endedAt }, lines: () => [] });
  io.err(`A service may start on ${source.path} again. Let none run on ${to} at the same time.`);
  if (endedAt !== null) io.err(`What was done there since ${endedAt} is not in it, and is sent again where it waited.`);
  io.err(`To move again, empty that database first: drop schema bellwire cascade.`);
  return 0;
}
