/**
 * Leases: under which a node has deliveries in memory that have no row yet. Here is all that locks a lease.
 *
 * Invariant: a transaction that takes something into memory, or gives it its row, holds the lease's row by `for key
 * share` until its commit. A takeover locks it `for update`, gives every delivery in memory its row, and deletes the
 * lease. So the second of them finds either the rows or no lease.
 *
 * A lease that has ended is still its node's while its row is there: its time only says when others may take over.
 */
import { secondsMs } from "../../../lib/duration.ts";
import type { Connection } from "../connection/connection.ts";
import { noteAccounts } from "./fence.ts";
import { type LeaseRow, listInMemory } from "./in-memory.ts";
import type { Lease, InMemoryDeliveries, InMemoryDelivery } from "../in-memory-deliveries.ts";
import { joinOrder } from "./order.ts";
import { insertPending, type PendingRow } from "./settle-in-memory.ts";
import { assertReads, type Forms, holdForms, loadReadBy, raiseReadBy } from "../schema/forms.ts";
import { commit, type Database, type Transaction } from "../transaction.ts";

/** A node that dies leaves its deliveries to others after this time, and never before their claims have run out. */
const LEASE_MS = secondsMs(15);
/** By claims, which come every five seconds at least, and by accepts, in case there is no room to claim for. */
const RENEWED_EVERY_MS = secondsMs(4);
/** Calls may come to the store later than others that were made after them. Guess. */
const LOW_WATER_SLACK_MS = secondsMs(1);

/**
 * Before the first accept or claim of a node, and after it has lost its lease. Calls that come meanwhile wait for the
 * same. Rejects with `StoreUnavailable` where rows are in a form by now that this node cannot read.
 */
export async function openLease(database: Database, nowMs: number): Promise<void> {
  const { inMemory, forms } = database.node;
  const lease = await shared(opening, inMemory, () =>
    commit(database, "nothing", ({ db }) => insertLease(db, forms, nowMs)),
  );
  if (inMemory.lease === null) inMemory.useLease(lease);
}

/** For each node, while it opens one. */
const opening = new WeakMap<InMemoryDeliveries, Promise<Lease>>();

async function insertLease(db: Connection, forms: Forms, nowMs: number): Promise<Lease> {
  const lowWaterMs = nowMs - LOW_WATER_SLACK_MS;
  await holdForms(db);
  assertReads(forms, await loadReadBy(db));
  const row = await db.get<{ id: number }>(INSERT_LEASE, nowMs + LEASE_MS, lowWaterMs, forms.reads);
  return { id: row?.id ?? 0, renewedAtMs: nowMs, lowWaterMs };
}

/**
 * While a row form that this node could write is still withheld, the node tries to raise `readBy`
 * (`../schema/forms.ts`) at every renewal of its lease. It also learns so whether another node has raised it.
 */
export async function raiseForms(database: Database, nowMs: number): Promise<void> {
  const { forms } = database.node;
  if (forms.readBy >= forms.writes || nowMs < forms.askedAtMs + RENEWED_EVERY_MS) return;
  forms.askedAtMs = nowMs;
  forms.readBy = await commit(database, "nothing", ({ db }) => raiseReadBy(db, forms));
}

/** Those of the leases that are still there, held until the commit. */
export async function holdLeases(tx: Transaction, ids: Iterable<number>): Promise<ReadonlySet<number>> {
  const wanted = [...new Set(ids)];
  if (wanted.length === 0) return new Set();
  const held = new Set((await tx.db.all<{ id: number }>(HOLD_LEASES, wanted)).map(({ id }) => id));
  for (const id of wanted) if (!held.has(id)) tx.node.inMemory.doubt(id);
  return held;
}

const isTimeToRenew = (lease: Lease | null, nowMs: number): lease is Lease =>
  lease !== null && nowMs >= lease.renewedAtMs + RENEWED_EVERY_MS;

/**
 * Renews this node's lease when it is time, and notes how far it is done. A clock that was set back leaves the mark
 * ahead, where no accept could take anything into memory until it is there again: the node begins with another lease
 * then. False: the node has no lease.
 */
export async function renewLease(tx: Transaction, nowMs: number): Promise<boolean> {
  const { inMemory } = tx.node;
  const { lease } = inMemory;
  if (lease === null) return false;
  if (nowMs < lease.lowWaterMs - LOW_WATER_SLACK_MS) {
    inMemory.doubt(lease.id);
    return true;
  }
  if (!isTimeToRenew(lease, nowMs)) return true;
  const lowWaterMs = Math.max(lease.lowWaterMs, inMemory.findLowWater(nowMs - LOW_WATER_SLACK_MS));
  const renewed = { id: lease.id, renewedAtMs: nowMs, lowWaterMs };
  // From now on, and not from the commit on: an accept that reads it meanwhile must not fall behind the mark.
  inMemory.useLease(renewed);
  tx.onEnd((outcome) => {
    if (outcome === "rolled back" && inMemory.lease === renewed)
      inMemory.useLease({ ...renewed, renewedAtMs: lease.renewedAtMs });
  });
  const isOurs = (await tx.db.run(RENEW_LEASE, lease.id, nowMs + LEASE_MS, lowWaterMs)) > 0;
  if (!isOurs) inMemory.doubt(lease.id);
  return isOurs;
}

/** Takes over one lease that has ended and that no other node is taking over. The next claim comes to the next. */
export async function takeOverEnded(tx: Transaction, nowMs: number): Promise<void> {
  const own = tx.node.inMemory.lease?.id ?? 0;
  const ended = await tx.db.get<LeaseRow>(LOCK_ENDED_LEASE, nowMs, own);
  if (ended !== undefined) await giveRows(tx, ended);
}

/** This node's own leases that it cannot trust, each in a transaction of its own. All calls wait for the same one. */
export async function takeOverDoubted(database: Database): Promise<void> {
  const { inMemory } = database.node;
  for (const id of inMemory.doubted) {
    await shared(takingOver, inMemory, () => takeOver(database, id));
  }
}

const takingOver = new WeakMap<InMemoryDeliveries, Promise<void>>();

/** Work that a node does once at a time: who wants it meanwhile gets the same. */
function shared<Value>(
  running: WeakMap<InMemoryDeliveries, Promise<Value>>,
  inMemory: InMemoryDeliveries,
  start: () => Promise<Value>,
): Promise<Value> {
  const known = running.get(inMemory);
  if (known !== undefined) return known;
  const started = start().finally(() => running.delete(inMemory));
  running.set(inMemory, started);
  return started;
}

async function takeOver(database: Database, id: number): Promise<void> {
  await commit(database, "shard", async (tx) => {
    const lease = await tx.db.get<LeaseRow>(LOCK_LEASE, id);
    if (lease !== undefined) await giveRows(tx, lease);
  });
  database.node.inMemory.forget(id);
}

/** At the node's end: what is still in memory is left to others, at the end of its claim. */
export async function endLease(database: Database): Promise<void> {
  const { inMemory } = database.node;
  if (inMemory.lease !== null) inMemory.doubt(inMemory.lease.id);
  await takeOverDoubted(database);
}

async function giveRows(tx: Transaction, lease: LeaseRow): Promise<void> {
  await insertInMemory(tx, lease);
  await tx.db.run(DELETE_LEASE, lease.id);
}

async function insertInMemory(tx: Transaction, lease: LeaseRow): Promise<void> {
  const inMemory = await listInMemory(tx, { leases: [lease], accountId: null });
  await insertPending(
    tx,
    inMemory.map((delivery) => ({ ...delivery, claimToken: delivery.claim.token, dueAtMs: delivery.claim.untilMs })),
  );
}

const INSERT_LEASE = `-- name: open lease
  insert into leases (until_at, low_water_at, reads)
  values ($1, $2, $3)
  returning id`;

const HOLD_LEASES = `-- name: hold leases
  select id
  from leases
  where id = any ($1::bigint[])
  for key share`;

/** Changes no key, so that it waits for no holder. */
const RENEW_LEASE = `-- name: renew lease
  update leases
  set until_at = $2, low_water_at = $3
  where id = $1
    and reads >= (select max(coalesce(read_by, version)) from schema_migrations)`;

const LOCK_ENDED_LEASE = `-- name: lock lease that has ended
  select id, low_water_at as "lowWaterMs"
  from leases
  where until_at <= $1 and id <> $2
  order by id
  limit 1
  for update skip locked`;

const LOCK_LEASE = `-- name: lock lease
  select id, low_water_at as "lowWaterMs"
  from leases
  where id = $1
  for update`;

const DELETE_LEASE = `-- name: end lease
  delete from leases
  where id = $1`;

/**
 * Gives the row that waits to deliveries in memory whose claim has run out, under the claim that they had: this node's,
 * and those of one node whose lease has ended. Other nodes do it for their own, and each claim comes to the next lease.
 */
export async function writeExpired(tx: Transaction, nowMs: number): Promise<void> {
  await giveWaitingRows(tx, tx.node.inMemory.takeRunOut(tx, nowMs), ({ claim: { token, untilMs } }) => ({
    claimToken: token,
    dueAtMs: untilMs,
  }));
  await takeOverEnded(tx, nowMs);
}

type Waits = Pick<PendingRow, "claimToken" | "dueAtMs">;

/**
 * Returns those that had no row. An account that has moved meanwhile has taken its deliveries along, with rows. Nobody
 * moves it away before the commit: the caller holds the shard, or the accounts.
 */
export async function giveWaitingRows(
  tx: Transaction,
  inMemory: readonly InMemoryDelivery[],
  toWaiting: (delivery: InMemoryDelivery) => Waits,
): Promise<readonly InMemoryDelivery[]> {
  if (inMemory.length === 0) return [];
  const held = await holdLeases(
    tx,
    inMemory.map(({ leaseId }) => leaseId),
  );
  const under = inMemory.filter(({ leaseId }) => held.has(leaseId));
  await noteAccounts(
    tx,
    under.map(({ accountId }) => accountId),
  );
  const without = under.filter((delivery) => tx.moves.get(delivery.accountId) === delivery.moves);
  await insertPending(
    tx,
    without.map((delivery) => ({ ...delivery, ...toWaiting(delivery) })),
  );
  await joinOrder(tx, without);
  return without;
}
