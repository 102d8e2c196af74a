/** The steps of a move (`src/store/postgres/shards/move/over.ts`) on the simulator's shards, and the way to them. */
import { secondsMs } from "../../src/lib/duration.ts";
import { withStoreError } from "../../src/store/postgres/failures.ts";
import { type Directory, HOME_SHARD } from "../../src/store/postgres/shards/directory.ts";
import type { Owners } from "../../src/store/postgres/shards/move/copy.ts";
import type {
  Arriving,
  FoundPlace,
  MovesOver,
  MoveShard,
  MoveSteps,
} from "../../src/store/postgres/shards/move/over.ts";
import { rollUpAll } from "../../src/store/sqlite/figures/attempt-counts.ts";
import { commitAtOnce } from "../../src/store/sqlite/commit.ts";
import type { Connection } from "../../src/store/sqlite/connection/connection.ts";
import { writePending } from "../../src/store/sqlite/path/pending-rows.ts";
import type { Transaction } from "../../src/store/sqlite/transaction.ts";
import type { Chance } from "../chance.ts";
import {
  deleteRows,
  HISTORY_TABLES,
  insertRows,
  isHere,
  LIVE_TABLES,
  loadOwners,
  type Rows,
  readRows,
} from "./account-rows.ts";
import type { LockKind } from "./locks.ts";
import { ask, type Client, type Server, SimTransaction } from "./server.ts";

export type SimSteps = MoveSteps<SimTransaction>;
export type SimMoves = MovesOver<SimTransaction>;

/** As `lockShard` sets it for the rest of the transaction. */
const LOCK_MS_MAX = secondsMs(2);

const at = <Value>({ server }: SimTransaction, work: (db: Connection) => Value): Promise<Value> => ask(server, work);

const ofDirectory: Pick<SimSteps, "findPlace" | "changePlace"> = {
  findPlace: (tx, accountId) => tx.ask(() => placeOf(tx, accountId)),
  changePlace: (tx, accountId, { before, after }) =>
    tx.ask(async () => {
      await tx.lock(`place ${accountId}`);
      const { changes } = placeOf(tx, accountId);
      if (changes !== before.changes) return false;
      tx.stage("place", accountId, { ...after, changes: changes + 1 });
      return true;
    }),
};

async function lockAccount(tx: SimTransaction, accountId: string, kind: LockKind): Promise<boolean> {
  if (!(await at(tx, (db) => isHere(db, accountId)))) return false;
  await tx.lock(`account ${accountId}`, kind);
  return await at(tx, (db) => isHere(db, accountId));
}

type OfAccount =
  | "hasAccount"
  | "loadCatalogue"
  | "loadOwners"
  | "holdAccount"
  | "lockAccount"
  | "lockShard"
  | "settleMemory"
  | "letGo";

const ofAccount: Pick<SimSteps, OfAccount> = {
  hasAccount: (tx, accountId) => tx.ask(() => at(tx, (db) => isHere(db, accountId))),
  // Tables have their columns from the database itself.
  loadCatalogue: () => Promise.resolve(new Map()),
  loadOwners: (tx, accountId) => tx.ask(() => at(tx, (db) => loadOwners(db, accountId))),
  holdAccount: (tx, accountId) => tx.ask(() => lockAccount(tx, accountId, "shared")),
  lockAccount: (tx, accountId) => tx.ask(() => lockAccount(tx, accountId, "alone")),
  lockShard: (tx) =>
    tx.ask(async () => {
      tx.lockMsMax = LOCK_MS_MAX;
      await tx.lock("shard");
    }),
  settleMemory: (tx, accountId) => tx.ask(() => at(tx, (db) => commitAtOnce(db, (rows) => toRows(rows, accountId)))),
  letGo: (tx, accountId, owners) => tx.ask(() => tx.write((rows) => letGo(rows, accountId, owners))),
};

type OfDeparted = "isDeparted" | "noteDeparted" | "holdDeparted" | "left" | "deleteLeft" | "deleteDeparted";

const ofDeparted: Pick<SimSteps, OfDeparted> = {
  isDeparted: (tx, accountId) => tx.ask(() => tx.read("departed", accountId) !== undefined),
  noteDeparted: (tx, accountId, owners) =>
    tx.ask(async () => {
      await tx.lock(`departed ${accountId}`);
      if (tx.read("departed", accountId) === undefined) tx.stage("departed", accountId, { run: nextRun(), owners });
    }),
  holdDeparted: (tx, accountId) =>
    tx.ask(async () => {
      if (tx.read("departed", accountId) === undefined) return null;
      await tx.lock(`departed ${accountId}`);
      return tx.read("departed", accountId) ?? null;
    }),
  left: HISTORY_TABLES,
  deleteLeft: (tx, { accountId, owners, table }) =>
    tx.ask(() => {
      tx.write((rows) => void deleteRows(rows, table, { accountId, owners }));
      return { rows: 0, hasMore: false };
    }),
  deleteDeparted: (tx, accountId) =>
    tx.ask(async () => {
      await tx.lock(`departed ${accountId}`);
      tx.stage("departed", accountId, undefined);
    }),
};

type OfArriving = "findArriving" | "holdArriving" | "setArriving" | "deleteArriving" | "goLive";

const ofArriving: Pick<SimSteps, OfArriving> = {
  findArriving: (tx, accountId) => tx.ask(() => findArriving(tx, accountId)),
  holdArriving: (tx, accountId) =>
    tx.ask(async () => {
      if (tx.read("arriving", accountId) === undefined) return null;
      await tx.lock(`arriving ${accountId}`);
      return findArriving(tx, accountId);
    }),
  setArriving: (tx, accountId, { before, ...arriving }) =>
    tx.ask(async () => {
      await tx.lock(`arriving ${accountId}`);
      if ((tx.read("arriving", accountId)?.run ?? null) !== before) return null;
      const run = nextRun();
      tx.stage("arriving", accountId, { ...arriving, run });
      return run;
    }),
  deleteArriving: (tx, accountId) =>
    tx.ask(async () => {
      await tx.lock(`arriving ${accountId}`);
      tx.stage("arriving", accountId, undefined);
    }),
  goLive: (tx, accountId) =>
    tx.ask(() => {
      const live = new Map(JSON.parse(tx.read("arriving", accountId)?.rows ?? "[]") as [string, never[]][]);
      tx.write((rows) => goLive(rows, accountId, live));
    }),
};

export function createSteps(chance: Chance): SimSteps {
  /** Long enough for calls to come meanwhile. */
  const copyMs = (): number => chance.pick([20, 200, 1_500, 3_000]);
  return {
    ...ofDirectory,
    ...ofAccount,
    ...ofDeparted,
    ...ofArriving,
    async copyAhead({ from }, { accountId, owners, write }) {
      for (const tables of [EVENTS, FIGURES]) {
        const rows = await from.read((tx) =>
          tx.ask(() => at(tx, (db) => readRows(db, tables, { accountId, owners })), copyMs()),
        );
        await write((tx) =>
          tx.ask(() => tx.write((there) => replaceRows(there, nameless(rows), { accountId, owners }))),
        );
      }
      return chance.happens(0.5);
    },
    async copyRest({ from, to }, { accountId, owners, left }) {
      const of = { accountId, owners };
      const rows = await from.ask(() => at(from, (db) => readRows(db, HISTORY_TABLES, of)), copyMs());
      await to.ask(() => to.write((there) => replaceRows(there, rows, of)), copyMs());
      const live = await from.ask(() => at(from, (db) => readRows(db, LIVE_TABLES, { accountId, owners: left })));
      return JSON.stringify([...live]);
    },
  };
}

/** As `letGo` leaves them. What is in the old shard's memory has no row yet; the rest of the copy names all again. */
const nameless = (rows: Rows): Rows =>
  new Map(
    [...rows].map(([table, all]) => [
      table,
      all.map((row) => (table === "events" ? { ...row, deliveries: "{}" } : row)),
    ]),
  );

const EVENTS = ["attempts", "deliveries", "events", "event_keys"] as const;
const FIGURES = HISTORY_TABLES.filter((name) => !EVENTS.some((one) => one === name));

const placeOf = (tx: SimTransaction, accountId: string): FoundPlace =>
  tx.read("place", accountId) ?? { shard: HOME_SHARD, movingTo: null, leaving: null, changes: 0 };

function findArriving(tx: SimTransaction, accountId: string): Arriving | null {
  const arriving = tx.read("arriving", accountId);
  if (arriving === undefined) return null;
  return { run: arriving.run, owners: arriving.owners, isComplete: arriving.rows !== null };
}

let runs = 0;

/** As random ids are: never the same again. */
function nextRun(): string {
  runs += 1;
  return `run ${runs}`;
}

function toRows(tx: Transaction, accountId: string): void {
  const mine = [...tx.inMemory.all()].filter((delivery) => delivery.accountId === accountId);
  for (const delivery of mine) {
    writePending(tx, delivery, { dueAtMs: delivery.claim.untilMs, claimToken: delivery.claim.token });
  }
  rollUpAll(tx);
}

interface Replacing {
  readonly accountId: string;
  readonly owners: Owners;
}

function replaceRows(tx: Transaction, rows: Rows, of: Replacing): void {
  for (const table of HISTORY_TABLES) if (rows.has(table)) deleteRows(tx, table, of);
  insertRows(tx, rows);
}

function letGo(tx: Transaction, accountId: string, owners: Owners): void {
  const of = { accountId, owners };
  tx.db.run(ATTEMPTS_OF_WAITING, accountId);
  tx.waitingChange -= tx.db.run("delete from deliveries where account_id = ? and state = 'pending'", accountId);
  for (const table of LIVE_TABLES.toReversed()) deleteRows(tx, table, of);
  // A start would take what is named and has no row for what was in memory.
  tx.db.run("update events set deliveries = '{}' where account_id = ?", accountId);
  tx.db.run("delete from search_entries where event_id in (select id from events where account_id = ?)", accountId);
  tx.db.run("delete from search_blocks where account_id = ?", accountId);
}

const ATTEMPTS_OF_WAITING =
  "delete from attempts where delivery_id in (select id from deliveries where account_id = ? and state = 'pending')";

function goLive(tx: Transaction, accountId: string, live: Rows): void {
  insertRows(tx, live);
  tx.db.run("update accounts set config_version = config_version + 1 where id = ?", accountId);
  const waits = "select count(1) as count from deliveries where account_id = ? and state = 'pending'";
  tx.waitingChange += tx.db.get<{ count: number }>(waits, accountId)?.count ?? 0;
}

/** Where accounts are, as a node asks for it. Each has its row from the start. */
export const directoryOver = ({ directory }: SimMoves): Directory => {
  const findAll = (ids: readonly string[]) =>
    withStoreError(directory.read((tx) => tx.ask(() => new Map(ids.map((id) => [id, placeOf(tx, id)])))));
  return {
    listShards: () => Promise.resolve([]),
    find: findAll,
    choose: async ({ accountId }) => (await findAll([accountId])).get(accountId)?.shard ?? HOME_SHARD,
  };
};

/** The shards as a process reaches them. Rejects where there is no such shard. */
export interface MoveClient extends Client {
  /** Asked before a shard is used. Rejects where it cannot be. */
  readonly mayUse: (shard: string) => Promise<void>;
}

export function movesOver(servers: ReadonlyMap<string, Server>, steps: SimSteps, client: MoveClient): SimMoves {
  const shardOf = (name: string): MoveShard<SimTransaction> => {
    const server = servers.get(name);
    if (server === undefined) throw new Error(`there is no shard ${name}`);
    return {
      async commit(work) {
        const tx = new SimTransaction(server, client);
        try {
          const value = await work(tx);
          await tx.commit();
          return value;
        } finally {
          tx.rollBack();
        }
      },
      async read(work) {
        const tx = new SimTransaction(server, client);
        try {
          return await work(tx);
        } finally {
          tx.rollBack();
        }
      },
    };
  };
  return { directory: shardOf(HOME_SHARD), shard: (name) => client.mayUse(name).then(() => shardOf(name)), steps };
}
