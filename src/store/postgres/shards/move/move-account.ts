/**
 * Moving one account from a shard to another while both work. The two may be schemas of one server or servers of their
 * own, so no transaction is about both; the order of their commits is what keeps the account in exactly one.
 *
 *     noted      directory: shard A, moving to B
 *     copied     B: history, in many transactions, while traffic goes on in A
 *     fenced     A: shard and account locked; what is in memory gets rows
 *     arrived    B: the rest, compared, and the live rows as JSON            commit of B
 *     departed   A: live rows are gone                                       commit of A: the point of no return
 *     landed     B: live rows are in their tables                            commit of B
 *     directed   directory: shard B, leaving A
 *     cleaned    A: history is gone; directory: leaving nothing
 *
 * A move that ends anywhere is run again, and goes on with what is there. Before the point of no return it can be taken
 * back instead (`take-back.ts`); behind it any node brings it to its end (`complete-move.ts`).
 */
import { rollUpTable } from "../../figures/attempt-deltas.ts";
import { isCollision, isLockedOut } from "../../failures.ts";
import { commit, type Database, readOnce } from "../../transaction.ts";
import {
  hasAccount,
  holdArriving,
  isDeparted,
  loadOwners,
  lockAccount,
  lockShard,
  MoveOvertaken,
  noteArriving,
  setLiveRows,
} from "./arriving.ts";
import { type Catalogue, loadCatalogue } from "./catalogue.ts";
import { cleanUp } from "./clean-up.ts";
import { completeMove } from "./complete-move.ts";
import { copyHistory, type Copying, type Reader } from "./copy.ts";
import { bringAll, letGo, LOCK_TIMEOUT, settleMemory } from "./fence-account.ts";
import { changePlace, findPlace, type MovesOver, type Place } from "./places.ts";
import { copySearch } from "./search-copy.ts";

export type Step = "noted" | "copied" | "fenced" | "arrived" | "departed" | "landed" | "directed" | "cleaned";

export interface MoveProgress {
  readonly phase: "copying" | "fenced" | "cleaning";
  readonly table: string;
  /** Written or deleted since the move began. */
  readonly rows: number;
}

export interface MoveAccount {
  readonly accountId: string;
  readonly to: string;
  readonly nowMs: () => number;
  readonly onProgress?: (progress: MoveProgress) => void;
  /** Asked after each batch. Under the fence it is not asked. */
  readonly isStopping?: () => boolean;
  /** For tests: awaited behind each step, and within the transaction where one is open. */
  readonly onStep?: (step: Step) => Promise<void>;
}

export type Moved =
  /** It is there, and nothing of it elsewhere. `fencedMs`: how long nobody could write anything of it. */
  | { readonly kind: "moved"; readonly fencedMs: number; readonly rows: number }
  /** Between two batches. Run again it goes on. */
  | { readonly kind: "stopped" }
  /** Another move of it has begun, which is to be ended or taken back first. */
  | { readonly kind: "moving"; readonly to: string }
  /** No shard that the directory knows of has it. */
  | { readonly kind: "missing" };

/**
 * Resolves when nothing of it is left where it was. Rejects with `MoveOvertaken`, or as statements of its shards do;
 * then it may stand at any step, and is run again.
 */
export async function moveAccount(over: MovesOver, options: MoveAccount): Promise<Moved> {
  const { accountId, to, isStopping = () => false } = options;
  await completeMove(over, accountId);
  const place = await findPlace(over.directory, accountId);
  const counter = { rows: 0 };
  const tell = (phase: MoveProgress["phase"]) => (table: string, rows: number) => {
    counter.rows += rows;
    options.onProgress?.({ phase, table, rows: counter.rows });
    if (phase !== "fenced" && isStopping()) throw new Stopped();
  };
  try {
    if (place.leaving !== null) await cleanUp(over, accountId, tell("cleaning"));
    if (place.shard === to && place.movingTo === null) {
      const isHere = await readOnce(await over.shard(to), ({ db }) => hasAccount(db, accountId));
      return isHere ? { kind: "moved", fencedMs: 0, rows: counter.rows } : { kind: "missing" };
    }
    if (place.movingTo !== null && place.movingTo !== to) return { kind: "moving", to: place.movingTo };
    const fencedMs = await moveBetween(over, { ...options, place, tell });
    if (fencedMs === null) return { kind: "missing" };
    await cleanUp(over, accountId, tell("cleaning"));
    await options.onStep?.("cleaned");
    return { kind: "moved", fencedMs, rows: counter.rows };
  } catch (error) {
    if (error instanceof Stopped) return { kind: "stopped" };
    throw error;
  }
}

class Stopped extends Error {}

interface Moving extends MoveAccount {
  readonly place: Place;
  readonly tell: (phase: MoveProgress["phase"]) => (table: string, rows: number) => void;
}

/** `null`: it is not there. */
async function moveBetween(over: MovesOver, moving: Moving): Promise<number | null> {
  const { accountId, to, place, nowMs, onStep = async () => {} } = moving;
  const ends = { from: await over.shard(place.shard), to: await over.shard(to) };
  if (!(await readOnce(ends.from, ({ db }) => hasAccount(db, accountId)))) return null;
  const before = { shard: place.shard, movingTo: place.movingTo, leaving: null };
  const after = { ...before, movingTo: to };
  const isNoted = await changePlace(over.directory, accountId, { before, after });
  if (!isNoted) throw new MoveOvertaken(accountId);
  await onStep("noted");
  const catalogue = await readOnce(ends.to, ({ db }) => loadCatalogue(db));
  await begin(over, ends, accountId);
  await copyAhead(ends, { accountId, catalogue, nowMs, onRows: moving.tell("copying") });
  await onStep("copied");
  const fencedMs = await tryFence(() => passFence(over, ends, { ...moving, after, catalogue, onStep }));
  await onStep("departed");
  await completeMove(over, accountId, onStep);
  return fencedMs;
}

interface Ends {
  readonly from: Database;
  readonly to: Database;
}

/**
 * What a move that was taken back has left there goes first. Where an earlier run came as far as `arrived` and no
 * further, the account's row is held: nobody lets it go meanwhile.
 */
async function begin(over: MovesOver, ends: Ends, accountId: string): Promise<void> {
  if (await readOnce(ends.to, ({ db }) => isDeparted(db, accountId))) await cleanUp(over, accountId, () => {});
  await commit(ends.from, "nothing", async ({ db }) => {
    const owners = await loadOwners(db, accountId);
    const isComplete = await commit(ends.to, "nothing", async (there) => {
      await noteArriving(there.db, accountId, owners);
      return (await holdArriving(there.db, accountId))?.isComplete === true;
    });
    if (!isComplete || !(await lockAccount(db, accountId))) return;
    await commit(ends.to, "nothing", async (there) => void (await setLiveRows(there.db, accountId, null)));
  });
}

interface CopyAhead extends Pick<Copying, "accountId" | "onRows"> {
  readonly catalogue: Catalogue;
  readonly nowMs: () => number;
}

/** A round that changes fewer leaves little for the fence. */
const FEW_ROWS = 2_000;
const ROUNDS_MAX = 5;

/** Few transactions last so long. An event that is later still stands behind its neighbours in lists. */
const LATE_MS = 15_000;

async function copyAhead(ends: Ends, { accountId, catalogue, nowMs, onRows }: CopyAhead): Promise<void> {
  const from = readerOf(ends.from);
  for (let round = 1; round <= ROUNDS_MAX; round += 1) {
    await addUpCounts(ends.from);
    const here = await loadOwners(from, accountId);
    const write: Copying["write"] = (work) =>
      commit(ends.to, "nothing", async ({ db }) => {
        const arriving = await holdArriving(db, accountId);
        if (arriving?.isComplete !== false) throw new MoveOvertaken(accountId);
        await work(db);
      });
    const owners = await commit(ends.to, "nothing", ({ db }) => noteArriving(db, accountId, here));
    const copying = { accountId, catalogue, owners, from, to: readerOf(ends.to), write, onRows };
    const changed = await copyHistory({ ...copying, beforeMs: nowMs() - LATE_MS, isUnderFence: false });
    const blocks = await copySearch({ ...copying, onlySealed: true });
    if (changed < FEW_ROWS && blocks === 0) return;
  }
}

/** As housekeeping does: what is left for the fence is what was counted since. */
async function addUpCounts(database: Database): Promise<void> {
  for (const table of ["attempt_deltas_0", "attempt_deltas_1"] as const) {
    for (let hasMore = true; hasMore;) hasMore = await commit(database, "shard", (tx) => rollUpTable(tx, table));
  }
}

/** Each statement is a transaction by itself. */
const readerOf = (database: Database): Reader => ({
  get: <Row>(sql: string, ...values: Parameters<Reader["get"]>[1][]) =>
    readOnce(database, ({ db }) => db.get<Row>(sql, ...values)),
  all: <Row>(sql: string, ...values: Parameters<Reader["all"]>[1][]) =>
    readOnce(database, ({ db }) => db.all<Row>(sql, ...values)),
});

/** Times that it may find its rows locked for too long, by others or by a move the other way. Guess. */
const TRIES_MAX = 10;

async function tryFence(pass: () => Promise<number>): Promise<number> {
  for (let tried = 1; ; tried += 1) {
    try {
      return await pass();
    } catch (error) {
      if (tried === TRIES_MAX || !(isLockedOut(error) || isCollision(error))) throw error;
    }
  }
}

interface PassFence extends Moving {
  readonly after: Place;
  readonly catalogue: Catalogue;
  readonly onStep: (step: Step) => Promise<void>;
}

/** Returns how long it was held. Rejects when the account is not to move any more. */
async function passFence(over: MovesOver, ends: Ends, passing: PassFence): Promise<number> {
  const { accountId, after, catalogue, onStep, tell, nowMs } = passing;
  let heldAtMs = 0;
  await commit(ends.from, "nothing", async (tx) => {
    await tx.db.exec(LOCK_TIMEOUT);
    await lockShard(tx.db);
    heldAtMs = nowMs();
    const isHere = await lockAccount(tx.db, accountId);
    const { shard, movingTo } = await findPlace(over.directory, accountId);
    const isMoving = isHere && shard === after.shard && movingTo === after.movingTo;
    if (!isMoving) throw new MoveOvertaken(accountId);
    await onStep("fenced");
    await settleMemory(tx, accountId);
    const owners = await bringAll(tx, ends.to, { accountId, catalogue, onRows: tell("fenced") });
    await onStep("arrived");
    await letGo(tx, accountId, owners);
  });
  return nowMs() - heldAtMs;
}
