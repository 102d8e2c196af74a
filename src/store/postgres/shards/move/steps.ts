/** The steps of moves (`over.ts`) on PostgreSQL. */
import { sleep, systemClock } from "../../../../lib/clock.ts";
import { rollUpTable } from "../../figures/attempt-deltas.ts";
import { commit, type Database, readOnce, type Transaction } from "../../transaction.ts";
import * as arriving from "./arriving.ts";
import { loadCatalogue } from "./catalogue.ts";
import { copyHistory, type Reader } from "./copy.ts";
import { deleteLeft, LEFT } from "./delete-left.ts";
import { copyRest, letGo, settleMemory } from "./fence-account.ts";
import { insertLiveRows } from "./live-rows.ts";
import type { Ends, MovesOver, MoveShard, MoveSteps } from "./over.ts";
import { changePlace, findPlace } from "./places.ts";
import { copySearch } from "./search-copy.ts";

export interface Databases {
  readonly directory: Database;
  /** Rejects when there is no such shard. */
  shard(name: string): Promise<Database>;
}

export const overDatabases = ({ directory, shard }: Databases): MovesOver => ({
  directory: toShard(directory),
  shard: async (name) => toShard(await shard(name)),
  steps: STEPS,
  gently,
});

const toShard = (database: Database): MoveShard => ({
  commit: (work) => commit(database, "nothing", work),
  read: (work) => readOnce(database, work),
});

/** A round that changes fewer leaves little for the fence. */
const FEW_ROWS = 2_000;

/** So that a copy takes at most half of what one session could, and others commit between two batches. */
async function gently<Value>(work: () => Promise<Value>): Promise<Value> {
  const startedMs = systemClock.monotonicMs();
  const value = await work();
  await sleep(systemClock, systemClock.monotonicMs() - startedMs);
  return value;
}

const copyAhead: MoveSteps<Transaction>["copyAhead"] = async (ends, copied) => {
  await addUpCounts(ends.from);
  const write = (work: (db: Transaction["db"]) => Promise<void>) => gently(() => copied.write(({ db }) => work(db)));
  const copying = { ...copied, ...readersOf(ends), write };
  const changed = await copyHistory({ ...copying, isUnderFence: false });
  const blocks = await copySearch({ ...copying, onlySealed: true });
  return changed < FEW_ROWS && blocks === 0;
};

/** As housekeeping does: what is left for the fence is what was counted since. */
async function addUpCounts(shard: MoveShard): Promise<void> {
  for (const table of ["attempt_deltas_0", "attempt_deltas_1"] as const) {
    for (let hasMore = true; hasMore;) hasMore = await shard.commit((tx) => rollUpTable(tx, table));
  }
}

/** Each statement is a transaction by itself. Hashes of one shard wait for those of the other. */
function readersOf(ends: Ends<MoveShard>): Ends<Reader> {
  let last: Promise<unknown> = Promise.resolve();
  const read = <Value>(shard: MoveShard, work: (tx: Transaction) => Promise<Value>): Promise<Value> => {
    const reading = last.then(() => gently(() => shard.read(work)));
    last = reading.catch(() => {});
    return reading;
  };
  const readerOf = (shard: MoveShard): Reader => ({
    get: (sql, ...values) => read(shard, ({ db }) => db.get(sql, ...values)),
    all: (sql, ...values) => read(shard, ({ db }) => db.all(sql, ...values)),
  });
  return { from: readerOf(ends.from), to: readerOf(ends.to) };
}

const STEPS: MoveSteps<Transaction> = {
  ...arriving,
  findPlace,
  changePlace,
  loadCatalogue: ({ db }) => loadCatalogue(db),
  settleMemory,
  letGo,
  left: LEFT,
  deleteLeft,
  copyAhead,
  copyRest,
  goLive: async ({ db }, accountId) => await insertLiveRows(db, accountId, await loadCatalogue(db)),
};
