/**
 * Leases: under which a node has deliveries in hand that have no row yet. Here is all that locks a lease.
 *
 * Invariant: a transaction that takes something in hand, or gives it its row, holds the lease's row by `for key share`
 * until its commit. A takeover locks it `for update`, gives every delivery in hand its row, and deletes the lease. So
 * whoever comes second finds either the rows or no lease.
 *
 * A lease that has ended is still its node's while its row is there: its time only says when others may take over.
 */
import { secondsMs } from "../../lib/duration.ts";
import type { Connection } from "./connection.ts";
import { type LeaseRow, listInHand } from "./in-hand.ts";
import type { Lease, OpenDeliveries } from "./open-deliveries.ts";
import { insertPending } from "./pending-rows.ts";
import { commit, type Database, type Transaction } from "./transaction.ts";

/** A node that dies leaves its deliveries to others after this time, and never before their claims have run out. */
const LEASE_MS = secondsMs(15);
/** By claims, which come every second, and by accepts, in case there is no room to claim for. */
const RENEWED_EVERY_MS = secondsMs(5);
/** Calls may come to the store later than others that were made after them. Guess. */
const MARK_SLACK_MS = secondsMs(1);

/** Before the first accept of a node, and after it has lost its lease. Calls that come meanwhile wait for the same. */
export async function openLease(database: Database, nowMs: number): Promise<void> {
  const { open } = database.node;
  const lease = await shared(opening, open, () => commit(database, ({ db }) => insertLease(db, nowMs)));
  if (open.lease === null) open.useLease(lease);
}

/** For each node, while it opens one. */
const opening = new WeakMap<OpenDeliveries, Promise<Lease>>();

async function insertLease(db: Connection, nowMs: number): Promise<Lease> {
  const markMs = nowMs - MARK_SLACK_MS;
  const row = await db.get<{ id: number }>(INSERT_LEASE, nowMs + LEASE_MS, markMs);
  return { id: row?.id ?? 0, renewedAtMs: nowMs, markMs };
}

/** Those of the leases that are still there, held until the commit. */
export async function holdLeases(tx: Transaction, ids: Iterable<number>): Promise<ReadonlySet<number>> {
  const wanted = [...new Set(ids)];
  if (wanted.length === 0) return new Set();
  const held = new Set((await tx.db.all<{ id: number }>(HOLD_LEASES, wanted)).map(({ id }) => id));
  for (const id of wanted) if (!held.has(id)) tx.node.open.doubt(id);
  return held;
}

/** Renews this node's lease when it is time, and notes how far it is done. */
export async function renewLease(tx: Transaction, nowMs: number): Promise<void> {
  const { open } = tx.node;
  const { lease } = open;
  if (lease === null || nowMs < lease.renewedAtMs + RENEWED_EVERY_MS) return;
  const markMs = Math.max(lease.markMs, open.findMark(nowMs - MARK_SLACK_MS));
  const renewed = { id: lease.id, renewedAtMs: nowMs, markMs };
  // From now on, and not from the commit on: an accept that reads it meanwhile must not fall behind the mark.
  open.useLease(renewed);
  if ((await tx.db.run(RENEW_LEASE, lease.id, nowMs + LEASE_MS, markMs)) === 0) open.doubt(lease.id);
}

/** Takes over one lease that has ended and that no other node is taking over. The next claim comes to the next. */
export async function takeOverEnded(tx: Transaction, nowMs: number): Promise<void> {
  const own = tx.node.open.lease?.id ?? 0;
  const ended = await tx.db.get<LeaseRow>(LOCK_ENDED_LEASE, nowMs, own);
  if (ended !== undefined) await giveRows(tx, ended);
}

/** This node's own leases that it cannot trust, each in a transaction of its own. All calls wait for the same one. */
export async function takeOverDoubted(database: Database): Promise<void> {
  const { open } = database.node;
  for (const id of open.doubted) {
    await shared(takingOver, open, () => takeOver(database, id));
  }
}

const takingOver = new WeakMap<OpenDeliveries, Promise<void>>();

/** Work that a node does once at a time: who wants it meanwhile gets the same. */
function shared<Value>(
  running: WeakMap<OpenDeliveries, Promise<Value>>,
  open: OpenDeliveries,
  start: () => Promise<Value>,
): Promise<Value> {
  const known = running.get(open);
  if (known !== undefined) return known;
  const started = start().finally(() => running.delete(open));
  running.set(open, started);
  return started;
}

async function takeOver(database: Database, id: number): Promise<void> {
  await commit(database, async (tx) => {
    const lease = await tx.db.get<LeaseRow>(LOCK_LEASE, id);
    if (lease !== undefined) await giveRows(tx, lease);
  });
  database.node.open.forget(id);
}

/** At the node's end: what is still in hand is left to others, at the end of its claim. */
export async function endLease(database: Database): Promise<void> {
  const { open } = database.node;
  if (open.lease !== null) open.doubt(open.lease.id);
  await takeOverDoubted(database);
}

async function giveRows(tx: Transaction, lease: LeaseRow): Promise<void> {
  const inHand = await listInHand(tx, { leases: [lease], accountId: null });
  await insertPending(
    tx,
    inHand.map((delivery) => ({ ...delivery, claimToken: delivery.claim.token, dueAtMs: delivery.claim.untilMs })),
  );
  await tx.db.run(DELETE_LEASE, lease.id);
}

const INSERT_LEASE = `-- name: open lease
  insert into leases (until_at, mark_at)
  values ($1, $2)
  returning id`;

const HOLD_LEASES = `-- name: hold leases
  select id
  from leases
  where id = any ($1::bigint[])
  for key share`;

/** Changes no key, so that it waits for no holder. */
const RENEW_LEASE = `-- name: renew lease
  update leases
  set until_at = $2, mark_at = $3
  where id = $1`;

const LOCK_ENDED_LEASE = `-- name: lock lease that has ended
  select id, mark_at as "markMs"
  from leases
  where until_at <= $1 and id <> $2
  order by id
  limit 1
  for update skip locked`;

const LOCK_LEASE = `-- name: lock lease
  select id, mark_at as "markMs"
  from leases
  where id = $1
  for update`;

const DELETE_LEASE = `-- name: end lease
  delete from leases
  where id = $1`;
