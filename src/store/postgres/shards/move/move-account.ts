/**
 * Moving one account from a shard to another while both work. The two may be schemas of one server or servers of their
 * own, so no transaction is about both; the order of their commits is what keeps the account in exactly one.
 *
 *     noted      directory: shard A, moving to B
 *     copied     B: history, in many transactions, while traffic goes on in A
 *     fenced     A: shard locked, account closed, then locked; what is in memory gets rows
 *     arrived    B: the rest, compared, and the live rows as JSON            commit of B
 *     departed   A: live rows are gone                                       commit of A: the point of no return
 *     landed     B: live rows are in their tables                            commit of B
 *     directed   directory: shard B, leaving A
 *     cleaned    A: history is gone; directory: leaving nothing
 *
 * A move that ends anywhere is run again, and goes on with what is there. Before the point of no return it can be taken
 * back instead (`take-back.ts`); behind it any node brings it to its end (`complete-move.ts`).
 */
import { isCollision, isLockedOut } from "../../failures.ts";
import type { Catalogue } from "./catalogue.ts";
import { NO_OWNERS } from "./arriving.ts";
import { cleanUp } from "./clean-up.ts";
import { completeMove } from "./complete-move.ts";
import type { Alike, Owners } from "./copy.ts";
import { findUnderLock } from "./find-under-lock.ts";
import {
  type Arriving,
  type Copied,
  type Ends,
  type FoundPlace,
  MoveOvertaken,
  type MovesOver,
  type MoveShard,
  type SetArriving,
} from "./over.ts";

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
export async function moveAccount<Tx>(over: MovesOver<Tx>, options: MoveAccount): Promise<Moved> {
  const { directory, steps } = over;
  const { accountId, to, isStopping = () => false } = options;
  await completeMove(over, accountId);
  const find = (): Promise<FoundPlace> => directory.commit((tx) => steps.findPlace(tx, accountId));
  let place = await find();
  const counter = { rows: 0 };
  const tell = (phase: MoveProgress["phase"]) => (table: string, rows: number) => {
    counter.rows += rows;
    options.onProgress?.({ phase, table, rows: counter.rows });
    if (phase !== "fenced" && isStopping()) throw new Stopped();
  };
  try {
    if (place.leaving !== null) {
      await cleanUp(over, accountId, tell("cleaning"));
      place = await find();
    }
    if (place.shard === to && place.movingTo === null) {
      if (!(await isThere(over, accountId, place))) return { kind: "missing" };
      return { kind: "moved", fencedMs: 0, rows: counter.rows };
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

/** Rejects with `MoveOvertaken` when it is not there because another process has moved it on from this place. */
async function isThere<Tx>({ directory, steps, shard }: MovesOver<Tx>, accountId: string, place: FoundPlace) {
  if (await (await shard(place.shard)).read((tx) => steps.hasAccount(tx, accountId))) return true;
  const now = await directory.commit((tx) => steps.findPlace(tx, accountId));
  if (now.shard !== place.shard || now.movingTo !== null) throw new MoveOvertaken(accountId);
  return false;
}

interface Moving extends MoveAccount {
  readonly place: FoundPlace;
  readonly tell: (phase: MoveProgress["phase"]) => (table: string, rows: number) => void;
}

/** `null`: it is not there. */
async function moveBetween<Tx>(over: MovesOver<Tx>, moving: Moving): Promise<number | null> {
  const { directory, steps } = over;
  const { accountId, to, place, nowMs, onStep = async () => {} } = moving;
  if (!(await isThere(over, accountId, place))) return null;
  const ends = { from: await over.shard(place.shard), to: await over.shard(to) };
  const change = { before: place, after: { shard: place.shard, movingTo: to, leaving: null } };
  const isNoted = await directory.commit((tx) => steps.changePlace(tx, accountId, change));
  if (!isNoted) throw new MoveOvertaken(accountId);
  const noted = { accountId, changes: place.changes + 1 };
  await onStep("noted");
  const catalogue = await ends.to.read(steps.loadCatalogue);
  const alike: Alike = new Map();
  const onRows = moving.tell("copying");
  const begun = await begin(over, ends, noted);
  const run = await copyAhead(over, ends, { accountId, run: begun, catalogue, alike, nowMs, onRows });
  await onStep("copied");
  const fencedMs = await tryFence(() => passFence(over, ends, { ...moving, ...noted, run, catalogue, alike, onStep }));
  await onStep("departed");
  await completeMove(over, accountId, onStep);
  return fencedMs;
}

/**
 * What a move that was taken back has left there goes first. Returns the `run` of what stands at the new shard now: an
 * earlier run's copy is copied on. Rejects with `MoveOvertaken`.
 */
async function begin<Tx>(over: MovesOver<Tx>, ends: Ends<MoveShard<Tx>>, noted: Noted): Promise<string> {
  const { steps } = over;
  const { accountId } = noted;
  if (await ends.to.read((tx) => steps.isDeparted(tx, accountId))) await cleanUp(over, accountId, () => {});
  return await ends.from.commit(async (tx) => {
    const found = await findUnderLock(over, tx, { accountId, to: ends.to, lock: "holdAccount" });
    if (found === "elsewhere") throw new MoveOvertaken(accountId);
    await assertIsNoted(over, noted);
    const owners = joinOwners(found?.owners ?? NO_OWNERS, await steps.loadOwners(tx, accountId));
    const arriving = { before: found?.run ?? null, owners, rows: null };
    return await ends.to.commit(async (there) => {
      const run = await setArriving(over, there, { accountId, arriving });
      // Fails where the lock was lost before this shard answered: the move may have been taken back, and what was
      // written here would stand for ever.
      if (!(await steps.hasAccount(tx, accountId))) throw new MoveOvertaken(accountId);
      return run;
    });
  });
}

interface Noted {
  readonly accountId: string;
  /** Of the directory's row, while this move is what it says. */
  readonly changes: number;
}

async function assertIsNoted<Tx>({ directory, steps }: MovesOver<Tx>, { accountId, changes }: Noted): Promise<void> {
  const place = await directory.commit((tx) => steps.findPlace(tx, accountId));
  if (place.changes !== changes) throw new MoveOvertaken(accountId);
}

interface Setting {
  readonly accountId: string;
  readonly arriving: SetArriving;
}

async function setArriving<Tx>({ steps }: MovesOver<Tx>, tx: Tx, { accountId, arriving }: Setting): Promise<string> {
  const run = await steps.setArriving(tx, accountId, arriving);
  if (run === null) throw new MoveOvertaken(accountId);
  return run;
}

interface CopyingAhead extends Pick<Copied, "accountId" | "catalogue" | "alike" | "onRows"> {
  readonly nowMs: () => number;
  readonly run: string;
}

/** Under traffic each leaves for the next what has changed while it ran: the third and later ones are short. */
const ROUNDS_MAX = 4;

/** Few transactions last so long. An event that is later still stands behind its neighbours in lists. */
const LATE_MS = 5_000;

/** Returns the `run` of what stands there now. */
async function copyAhead<Tx>(
  over: MovesOver<Tx>,
  ends: Ends<MoveShard<Tx>>,
  { nowMs, run, ...copying }: CopyingAhead,
): Promise<string> {
  const { steps } = over;
  const { accountId } = copying;
  let known = run;
  const write = <Value>(work: (tx: Tx, arriving: Arriving) => Promise<Value>): Promise<Value> =>
    ends.to.commit(async (tx) => {
      const arriving = await steps.holdArriving(tx, accountId);
      if (arriving?.run !== known) throw new MoveOvertaken(accountId);
      return await work(tx, arriving);
    });
  for (let round = 1; round <= ROUNDS_MAX; round += 1) {
    const here = await ends.from.read((tx) => steps.loadOwners(tx, accountId));
    let owners = here;
    known = await write((tx, arriving) => {
      owners = joinOwners(arriving.owners, here);
      return setArriving(over, tx, { accountId, arriving: { before: known, owners, rows: null } });
    });
    if (await steps.copyAhead(ends, { ...copying, owners, write, beforeMs: nowMs() - LATE_MS })) break;
  }
  return known;
}

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

interface PassFence extends Moving, Noted {
  readonly run: string;
  readonly catalogue: Catalogue;
  readonly alike: Alike;
  readonly onStep: (step: Step) => Promise<void>;
}

/** Returns how long it was held. Rejects when the account is not to move any more. */
async function passFence<Tx>(over: MovesOver<Tx>, ends: Ends<MoveShard<Tx>>, passing: PassFence): Promise<number> {
  const { steps } = over;
  const { accountId, onStep, nowMs } = passing;
  let heldAtMs = 0;
  await ends.from.commit(async (tx) => {
    await steps.lockShard(tx);
    heldAtMs = nowMs();
    await ends.from.commit(async (other) => steps.closeAccount?.(other, accountId));
    if (!(await steps.lockAccount(tx, accountId))) throw new MoveOvertaken(accountId);
    await assertIsNoted(over, passing);
    await onStep("fenced");
    await steps.settleMemory(tx, accountId);
    const owners = await bringAll(over, { from: tx, to: ends.to }, passing);
    await onStep("arrived");
    await steps.letGo(tx, accountId, owners);
    await steps.noteDeparted(tx, accountId, owners);
  });
  return nowMs() - heldAtMs;
}

/**
 * Commits at the shard that it goes to: all of the account is there, and its live rows wait. Its housekeeping waits
 * meanwhile, which would work on what has just been compared. Returns the ids that lead to what leaves. Rejects with
 * `MoveOvertaken`.
 */
async function bringAll<Tx>(
  over: MovesOver<Tx>,
  { from, to }: { readonly from: Tx; readonly to: MoveShard<Tx> },
  { accountId, catalogue, alike, run, tell }: PassFence,
): Promise<Owners> {
  const { steps } = over;
  const left = await steps.loadOwners(from, accountId);
  await to.commit(async (tx) => {
    await steps.lockShard(tx);
    const arriving = await steps.holdArriving(tx, accountId);
    if (arriving?.run !== run || (await steps.isDeparted(tx, accountId))) throw new MoveOvertaken(accountId);
    const owners = joinOwners(arriving.owners, left);
    const copied = { accountId, owners, left, catalogue, alike, onRows: tell("fenced") };
    const rows = await steps.copyRest({ from, to: tx }, copied);
    await setArriving(over, tx, { accountId, arriving: { before: run, owners, rows } });
  });
  return left;
}

const union = (one: readonly string[], other: readonly string[]): string[] => [...new Set([...one, ...other])];

/** Rows that were copied for one that is gone are still to be found. */
const joinOwners = (one: Owners, other: Owners): Owners => ({
  destinations: union(one.destinations, other.destinations),
  replays: union(one.replays, other.replays),
  addresses: union(one.addresses, other.addresses),
});
