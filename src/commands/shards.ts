/**
 * `bellwire shards`: lists the shards that accounts are in, adds one, and moves accounts between them, while nodes run.
 * `store/postgres/shards/` does it; this file is its command line.
 */
import type { Config } from "../config/options.ts";
import type { Result } from "../domain/problem.ts";
import { ok, refuse } from "../lib/result.ts";
import { systemClock } from "../lib/clock.ts";
import { systemRandom } from "../lib/random.ts";
import { createSealer } from "../lib/seal.ts";
import { StoreUnavailable, StoreUnusable } from "../store/contract/store.ts";
import { HOME_SCHEMA } from "../store/postgres/connection/connections.ts";
import { toStoreError } from "../store/postgres/failures.ts";
import {
  addShard,
  type Administration,
  changeShardOf,
  type FoundShard,
  type ListedShard,
  lookAtShards,
  removeShard,
  WAITING_SHOWN_MAX,
} from "../store/postgres/shards/admin.ts";
import { findNextMove, findNextMoveFrom, moveFrom, type NextMove } from "../store/postgres/shards/balance.ts";
import { HOME_SHARD, SHARD_ADDRESS } from "../store/postgres/shards/directory.ts";
import { moveAccount, type MoveProgress } from "../store/postgres/shards/move/move-account.ts";
import type { MovesOver } from "../store/postgres/shards/move/over.ts";
import { takeBack } from "../store/postgres/shards/move/take-back.ts";
import { openMoves } from "../store/postgres/shards/moves.ts";
import { repairShards } from "../store/postgres/shards/repair.ts";
import { terminalText } from "../receiver/terminal-text.ts";
import { JSON_FLAG, JSON_HELP, misuse, readArgumentsWithWords, show } from "./arguments.ts";
import type { Command, CommandIo } from "./command.ts";
import { IF_ELSEWHERE } from "./installation.ts";
import { readAddress } from "./read-address.ts";
import { readEncryptionKey, readSettings } from "./start-up.ts";

const HELP = `Usage: bellwire shards [--json]
       bellwire shards add postgres://user:password@host/database [--schema name] [--no-new-accounts]
       bellwire shards add --address-file path [--schema name] [--no-new-accounts]
       bellwire shards change shard [postgres://… | --address-file path] [--new-accounts | --no-new-accounts]
       bellwire shards move account… --to shard
       bellwire shards move account… --back
       bellwire shards move --balance
       bellwire shards move --all-from shard [--to shard]
       bellwire shards remove shard [--lost]
       bellwire shards repair [--restored shard]

Lists the shards of the installation with what is in each; adds one, a schema in a PostgreSQL database; changes its
address or password; moves accounts between them; or removes one. Nodes go on running. docs/distributed.md says when a
shard helps, what a move costs, and what to do after one was restored from a backup.

  --schema name        the schema there (default: bellwire); in the home database it must be another one
  --address-file path  file that holds the address; one that is given as a word can be seen in the list of processes
  --no-new-accounts    new accounts do not begin there; only those come that are moved
  --new-accounts       they begin there again
  --to shard           where the accounts go: its name in the list, such as 1. A move that was stopped or killed goes on
                       when it is run again
  --back               gives up moves of these accounts that have not come to their end
  --balance            moves accounts one by one until all shards that take new ones have as many
  --all-from shard     closes it to new accounts, and moves all of its accounts to the others
  --lost               removes a shard whose server will not be back, and gives up what it had
  --restored shard     it was restored from an older backup: accounts that have moved away since are let go there
${JSON_HELP}`;

const FLAGS = {
  schema: { type: "string", default: HOME_SCHEMA },
  "address-file": { type: "string" },
  "no-new-accounts": { type: "boolean", default: false },
  to: { type: "string" },
  back: { type: "boolean", default: false },
  balance: { type: "boolean", default: false },
  "new-accounts": { type: "boolean", default: false },
  "all-from": { type: "string" },
  lost: { type: "boolean", default: false },
  restored: { type: "string" },
  ...JSON_FLAG,
} as const;

export const shards: Command = async (io) => {
  const given = readArgumentsWithWords(io, HELP, FLAGS);
  if (given.kind === "done") return given.exitCode;
  const [verb, ...words] = given.words;
  const { json } = given.values;
  if (json && verb !== undefined) return misuse(io, HELP, "--json is for the list of shards");
  switch (verb) {
    case undefined:
      return await withAdministration(io, (options) => list(io, options, json));
    case "add":
      return await add(io, words, given.values);
    case "move": {
      const wanted = readMove(words, given.values);
      if (!wanted.ok) return misuse(io, HELP, wanted.error);
      return await withAdministration(io, (options) => move(io, options, wanted.value));
    }
    case "change":
      return await change(io, words, given.values);
    case "remove":
      return await remove(io, words, given.values);
    case "repair":
      return await withAdministration(io, (options) => repair(io, options, given.values.restored ?? null));
    default:
      return misuse(io, HELP, `shards takes "add", "change", "move", "remove", "repair" or nothing; it is "${verb}"`);
  }
};

interface AddFlags {
  readonly schema: string;
  readonly "address-file"?: string | undefined;
  readonly "no-new-accounts": boolean;
}

async function add(io: CommandIo, words: readonly string[], flags: AddFlags): Promise<number> {
  const { schema, "address-file": addressFile, "no-new-accounts": isClosed } = flags;
  const address = readAddress("shards add", words, addressFile);
  if (!address.ok) return misuse(io, HELP, address.error);
  const named = checkSchema(schema);
  if (!named.ok) return misuse(io, HELP, named.error);
  return await withAdministration(io, async (options) => {
    const name = await addShard(options, { url: address.value, schema, takesAccounts: !isClosed });
    io.out(`Shard ${name} is there. Nodes know of it within 15 s.`);
    return 0;
  });
}

interface ChangeFlags extends AddFlags {
  readonly "new-accounts": boolean;
}

async function change(io: CommandIo, [name, ...words]: readonly string[], flags: ChangeFlags): Promise<number> {
  const { "address-file": addressFile, "no-new-accounts": isClosed, "new-accounts": isOpen } = flags;
  if (name === undefined) return misuse(io, HELP, "shards change needs the name of a shard, such as 1");
  if (isClosed && isOpen) return misuse(io, HELP, "shards change takes --new-accounts or --no-new-accounts");
  const isElsewhere = words.length > 0 || addressFile !== undefined;
  const address = isElsewhere ? readAddress("shards change", words, addressFile) : ok(null);
  if (!address.ok) return misuse(io, HELP, address.error);
  if (!isElsewhere && !isClosed && !isOpen) return misuse(io, HELP, "shards change needs an address or a flag");
  const changed = {
    name,
    ...(address.value === null ? {} : { url: address.value }),
    ...(isClosed || isOpen ? { takesAccounts: isOpen } : {}),
  };
  return await withAdministration(io, async (options) => {
    await changeShardOf(options, changed);
    io.out(`Shard ${name} is changed. Nodes know of it within 15 s.`);
    return 0;
  });
}

async function remove(io: CommandIo, [name, ...more]: readonly string[], flags: { lost: boolean }): Promise<number> {
  if (name === undefined || more.length > 0) return misuse(io, HELP, "shards remove needs the name of one shard");
  return await withAdministration(io, async (options) => {
    const { place, schema } = await removeShard(options, { name, isLost: flags.lost });
    io.out(`Shard ${name} is removed. Nodes leave it within 15 s.`);
    if (!flags.lost) io.out(`Its empty tables are still in ${place}; then: drop schema ${schema} cascade`);
    return 0;
  });
}

/** One line for each account that was not where the directory had it. */
async function repair(io: CommandIo, options: Administration, restored: string | null): Promise<number> {
  await using over = openMoves(options);
  if (restored !== null) await over.shard(restored);
  let repaired = 0;
  let left = 0;
  await repairShards(over, {
    restored,
    onRepaired(found) {
      const account = terminalText(found.accountId, ID_CHARS_MAX);
      if (found.kind === "several") {
        left += 1;
        io.err(`${account} is in shards ${found.shards.join(" and ")}; say by --restored which was restored.`);
        return;
      }
      repaired += 1;
      const { kind, shard, before } = found;
      const was =
        kind === "found" ? `the directory had it in shard ${before}` : `an older copy in shard ${before} is gone`;
      io.out(`${account} is in shard ${shard}; ${was}.`);
    },
  });
  io.out(`Accounts that were put right: ${repaired}.`);
  return left === 0 ? 0 : 1;
}

interface MoveFlags {
  readonly to?: string | undefined;
  readonly back: boolean;
  readonly balance: boolean;
  readonly "all-from"?: string | undefined;
}

type Wanted =
  | { readonly kind: "to"; readonly accountIds: readonly string[]; readonly to: string }
  | { readonly kind: "back"; readonly accountIds: readonly string[] }
  | { readonly kind: "balance" }
  | { readonly kind: "all"; readonly from: string; readonly to: string | undefined };

function readMove(accountIds: readonly string[], flags: MoveFlags): Result<Wanted, string> {
  const { to, back, balance, "all-from": from } = flags;
  if (from !== undefined) {
    if (accountIds.length > 0 || back || balance) return refuse("--all-from goes with --to alone");
    return to === from ? refuse("--all-from and --to name the same shard") : ok({ kind: "all", from, to });
  }
  if ([to !== undefined, back, balance].filter(Boolean).length !== 1) {
    return refuse("shards move takes one of --to, --back, --balance and --all-from");
  }
  if (balance)
    return accountIds.length === 0 ? ok({ kind: "balance" }) : refuse("--balance chooses accounts by itself");
  if (accountIds.length === 0) return refuse("shards move needs the id of an account, or several");
  return ok(to === undefined ? { kind: "back", accountIds } : { kind: "to", accountIds, to });
}

async function move(io: CommandIo, options: Administration, wanted: Wanted): Promise<number> {
  await using over = openMoves(options);
  let isStopping = false;
  void io.stopAsked.then(() => (isStopping = true));
  const moving: Moving = { io, over, isStopping: () => isStopping };
  if (wanted.kind === "balance") {
    if (!(await moveOneByOne(moving, () => findNextMove(over)))) return 1;
    io.out("The shards have as many accounts as each other.");
    return 0;
  }
  if (wanted.kind === "all") return await moveAll(moving, options, wanted);
  for (const accountId of wanted.accountIds) {
    const isDone = await (wanted.kind === "to"
      ? moveOne(moving, accountId, wanted.to)
      : takeOneBack(moving, accountId));
    if (!isDone) return 1;
  }
  return 0;
}

/** False: the last one is not there, for a reason that was printed. */
async function moveOneByOne(moving: Moving, findNext: () => Promise<NextMove | null>): Promise<boolean> {
  for (let next = await findNext(); next !== null; next = await findNext()) {
    if (!(await moveOne(moving, next.accountId, next.to))) return false;
  }
  return true;
}

interface MoveAll {
  readonly from: string;
  readonly to: string | undefined;
}

async function moveAll(moving: Moving, options: Administration, { from, to }: MoveAll): Promise<number> {
  const { io, over } = moving;
  if (from !== HOME_SHARD) await changeShardOf(options, { name: from, takesAccounts: false });
  const findNext = () => (to === undefined ? findNextMoveFrom(over, from) : moveFrom(over, from, to));
  if (!(await moveOneByOne(moving, findNext))) return 1;
  const next = from === HOME_SHARD ? "" : ` and takes no new ones: bellwire shards remove ${from}`;
  io.out(`Shard ${from} has no accounts${next}.`);
  return 0;
}

interface Moving {
  readonly io: CommandIo;
  readonly over: MovesOver;
  readonly isStopping: () => boolean;
}

/** False: it is not there, for a reason that was printed. */
async function moveOne({ io, over, isStopping }: Moving, accountId: string, to: string): Promise<boolean> {
  const onProgress = createMoveLines(accountId, io.err);
  const moved = await moveAccount(over, { accountId, to, nowMs: systemClock.nowMs, isStopping, onProgress });
  const account = terminalText(accountId, ID_CHARS_MAX);
  switch (moved.kind) {
    case "moved":
      io.out(`${account} is in shard ${to}: ${moved.rows} rows, and its posts had to wait for ${moved.fencedMs} ms.`);
      return true;
    case "stopped":
      io.err(`The move of ${account} was stopped. Run the same command again: it goes on; or take it back by --back.`);
      return false;
    case "moving":
      io.err(`${account} is on its way to shard ${moved.to}. Move it there, or take that back by --back first.`);
      return false;
    case "missing":
      io.err(`No shard has an account ${account}.`);
      return false;
  }
}

async function takeOneBack({ io, over }: Moving, accountId: string): Promise<boolean> {
  const account = terminalText(accountId, ID_CHARS_MAX);
  const took = await takeBack(over, { accountId, onRows: () => {} });
  io.out(took === "took back" ? `${account} stays where it is.` : `No move of ${account} is under way.`);
  return true;
}

/** An account's longest id. */
const ID_CHARS_MAX = 128;
/** Rows between two lines about how far a move is. */
const LINE_ROWS = 20_000;

function createMoveLines(accountId: string, write: (line: string) => void): (progress: MoveProgress) => void {
  let told = 0;
  return ({ phase, table, rows }) => {
    if (rows < told + LINE_ROWS) return;
    told = rows;
    write(`${terminalText(accountId, ID_CHARS_MAX)}: ${phase} ${table}, ${rows} rows so far.`);
  };
}

/** As PostgreSQL takes it without quotation marks. */
function checkSchema(schema: string): Result<null, string> {
  if (/^[a-z_][a-z0-9_]{0,62}$/.test(schema) && !schema.startsWith("pg_")) return ok(null);
  return refuse(
    `--schema must be up to 63 of a-z, 0-9 and _, beginning with no digit and not with pg_; it is "${schema}"`,
  );
}

/** Prints what the store refuses. */
export async function withAdministration(
  io: CommandIo,
  work: (options: Administration) => Promise<number>,
): Promise<number> {
  const config = readSettings(io);
  if (config === null) return 1;
  const options = openAdministration(io, config);
  if (options === null) return 1;
  try {
    return await work(options);
  } catch (thrown) {
    const error = toStoreError(thrown);
    if (!(error instanceof StoreUnusable) && !(error instanceof StoreUnavailable)) throw error;
    io.err(error === thrown ? `${error.message}.` : `A shard cannot be reached now: ${error.message}.`);
    if (error instanceof StoreUnavailable) io.err("Run the same command again when that is mended: it goes on.");
    return 1;
  }
}

/** `null` after the reason was printed. */
function openAdministration(io: CommandIo, config: Config): Administration | null {
  const { database, databasePooler: pooler } = config;
  if (database.kind !== "postgres") {
    io.err("BELLWIRE_DATABASE names a SQLite database, which is one shard.");
    io.err(`docs/postgres.md says how to move on. ${IF_ELSEWHERE}`);
    return null;
  }
  const key = readEncryptionKey(io, config);
  if (key === null) return null;
  const sealer = createSealer(key, systemRandom);
  return {
    url: database.url,
    pooler,
    clock: systemClock,
    seal: (address) => sealer.seal(address, SHARD_ADDRESS),
    openAddress: (sealed) => sealer.open(sealed, SHARD_ADDRESS),
  };
}

/** Prints the list on standard output, one line each with tabs between, so that a script can read it. */
async function list(io: CommandIo, options: Administration, isJson: boolean): Promise<number> {
  const found = await lookAtShards(options);
  const head = ["shard", "accounts", "waiting", "bytes", "schema version", "new accounts", "place"].join("\t");
  show(io, isJson, { value: found.map(toRow), lines: () => [head, ...found.map(toLine)] });
  const away = found.filter((shard) => typeof shard.found === "string");
  for (const { name, found: why } of away) if (typeof why === "string") io.err(`Shard ${name}: ${why}.`);
  return away.length === 0 ? 0 : 1;
}

/** `away`: why it could not be looked at. */
function toRow({ name, place, takesAccounts, found }: ListedShard) {
  const row = { shard: name, place, takes_accounts: takesAccounts };
  if (typeof found === "string") return { ...row, away: found };
  const { accounts, waiting, bytes, schemaVersion } = found;
  const isCapped = waiting >= WAITING_SHOWN_MAX;
  return { ...row, accounts, waiting: { count: waiting, is_capped: isCapped }, bytes, schema_version: schemaVersion };
}

function toLine({ name, place, takesAccounts, found }: ListedShard): string {
  const counts = typeof found === "string" ? ["-", "-", "-", "away"] : toCells(found);
  return [name, ...counts, takesAccounts ? "yes" : "no", place].join("\t");
}

function toCells({ accounts, waiting, bytes, schemaVersion }: FoundShard): string[] {
  const shown = waiting >= WAITING_SHOWN_MAX ? `${WAITING_SHOWN_MAX}+` : String(waiting);
  return [String(accounts), shown, String(bytes), String(schemaVersion)];
}
