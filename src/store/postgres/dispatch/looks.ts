/**
 * Where a verb that looks everywhere has something to do. With many groups, most of them have nothing at most moments,
 * and a transaction in each of them costs a node hundreds of statements a second while it is idle. So each server is
 * asked one cheap question about all of its groups, and only those are visited that may have something.
 *
 * Invariant: a look never leaves out a group that has something due. It may name one that has nothing, and where it
 * finds more than it reads, it names all.
 */
import { bucketOf } from "../../../lib/bucket.ts";
import { minutesMs, secondsMs } from "../../../lib/duration.ts";
import type { VerbAnswer, VerbParams } from "../../calls.ts";
import type { VerbName } from "../../contract/store.ts";
import { findSlots } from "../../sql/path/claim-rows.ts";
import type { AttemptColumns } from "../attempts.ts";
import { isServedCheckDue } from "../path/claims.ts";
import { idsSince, isIn, toPlaceholders } from "../days.ts";
import type { Group } from "../buckets/groups.ts";
import { listLeases } from "../path/in-memory.ts";
import { isToBeGiven } from "../path/leases.ts";
import type { GroupMemory, NodeMemory, Transaction } from "../transaction.ts";

type Params<Name extends VerbName> = VerbParams<Name, AttemptColumns>;

/** Buckets with something to do, or all of the server's. */
export type Found = readonly number[] | "all";

export interface Look<Name extends VerbName> {
  /** Asks one server; `memories`: those of its groups. */
  ask?(tx: Transaction, params: Params<Name>, memories: readonly GroupMemory[]): Promise<Found>;
  /** Asks the installation's own tables, for all servers. */
  askLocal?(tx: Transaction, params: Params<Name>): Promise<Found>;
  /** Which groups are visited whatever was found. */
  anyway?(node: NodeMemory, params: Params<Name>): (group: Group) => boolean;
  /** Notes that a group had nothing (`null`), or what a visit brought. */
  note?(memory: GroupMemory, params: Params<Name>, answer: VerbAnswer<Name> | null): void;
}

/** Rows that a look reads of a server. */
const ROWS_MAX = 256;

const toFound = (rows: readonly { readonly bucket: number }[]): Found =>
  rows.length >= ROWS_MAX ? "all" : rows.map(({ bucket }) => bucket);

const both = (one: Found, other: Found): Found => (one === "all" || other === "all" ? "all" : [...one, ...other]);

export const LOOKS: { readonly [Name in VerbName]?: Look<Name> } = {
  claimDueDeliveries: {
    async ask(tx, params) {
      const full = Object.keys(params.freeSlots).filter((id) => findSlots(params, id) <= 0);
      return toFound(await tx.db.all<{ bucket: number }>(LOOK_FOR_WAKING, params.nowMs, full, ROWS_MAX));
    },
    anyway(node, { nowMs }) {
      const hasExpired = expiredIn(node, nowMs);
      return (group) =>
        isServedCheckDue(node.ofGroup(group[0] ?? 0), nowMs) || isToBeGiven(node.inMemory, group) || hasExpired(group);
    },
  },
  stepReplays: {
    ask: async (tx) => toFound(await tx.db.all<{ bucket: number }>(LOOK_FOR_RUNNING, ROWS_MAX)),
  },
  expireWaiting: {
    ask: async (tx, { dueBeforeMs }) =>
      toFound(await tx.db.all<{ bucket: number }>(LOOK_FOR_SHUT, dueBeforeMs, ROWS_MAX)),
    anyway: (node, { nowMs }) => expiredIn(node, nowMs),
  },
  countWaiting: {
    async ask(tx) {
      const leases = await listLeases(tx);
      const [waiting, inMemory] = await Promise.all([
        tx.db.all<{ bucket: number }>(LOOK_FOR_BOUNDS),
        leases.length === 0 ? [] : lookForInMemory(tx, leases),
      ]);
      return both(toFound(waiting), toFound(inMemory));
    },
  },
  claimMessages: {
    ask: async (tx, { route, nowMs }) =>
      toFound(await tx.db.all<{ bucket: number }>(LOOK_FOR_MESSAGES, route, nowMs, ROWS_MAX)),
  },
  indexEvents: {
    async ask(tx, _, memories) {
      const fromMs = Math.min(...memories.map(({ indexedToMs }) => indexedToMs)) - COMMITTED_LATE_MS;
      const days = toPlaceholders(idsSince("evt", fromMs));
      return toFound(await tx.db.all<{ bucket: number }>(LOOK_FOR_EVENTS, fromMs, ...days, ROWS_MAX));
    },
    anyway: (node, { nowMs }) => {
      return (group) => {
        const { indexedToMs, indexVisitedMs } = node.ofGroup(group[0] ?? 0);
        const isVisited = nowMs >= indexVisitedMs && nowMs < indexVisitedMs + INDEX_VISITED_EVERY_MS;
        return !isVisited || nowMs >= indexedToMs + INDEX_VISITED_EVERY_MS;
      };
    },
    note(memory, { nowMs }, answer) {
      if (answer?.hasMore === true) {
        memory.indexVisitedMs = Infinity;
        return;
      }
      memory.indexedToMs = nowMs;
      if (answer !== null) memory.indexVisitedMs = nowMs;
    },
  },
  purge: {
    anyway: (node, params) => (group) => !rests(node.ofGroup(group[0] ?? 0).purged, params),
    note(memory, params, answer) {
      if (answer !== null) memory.purged = answer.purged === 0 && !answer.hasMore ? params : null;
    },
  },
};

/** Groups where this node has in-memory deliveries whose claim has expired. */
function expiredIn(node: NodeMemory, nowMs: number): (group: Group) => boolean {
  const buckets = new Set(node.inMemory.listRunOut(nowMs).map(({ accountId }) => bucketOf(accountId)));
  return (group) => group.some((bucket) => buckets.has(bucket));
}

/** No event is committed so late that the look each minute would not find it (`../log/search-cursor.ts`). */
const COMMITTED_LATE_MS = secondsMs(6);
const INDEX_VISITED_EVERY_MS = minutesMs(1);

/** A clock that was set back, or another retention, ends the rest. */
function rests(last: GroupMemory["purged"], params: Params<"purge">): boolean {
  if (last === null) return false;
  const { mayRestMs = 0 } = params;
  const instants = ["nowMs", "payloadsBeforeMs", "attemptBodiesBeforeMs", "rowsBeforeMs"] as const;
  return instants.every((name) => params[name] >= last[name] && params[name] < last[name] + mayRestMs);
}

function lookForInMemory(
  tx: Transaction,
  leases: readonly { readonly id: number; readonly lowWaterMs: number }[],
): Promise<{ bucket: number }[]> {
  const lowWaterMs = Math.min(...leases.map((lease) => lease.lowWaterMs));
  const days = toPlaceholders(idsSince("evt", lowWaterMs));
  const ids = leases.map(({ id }) => id);
  return tx.db.all<{ bucket: number }>(LOOK_FOR_IN_MEMORY, lowWaterMs, ...days, ids, ROWS_MAX);
}

const LOOK_FOR_WAKING = `-- name: look for destinations that wake
  select d.bucket
  from destinations d
  where d.state = 'on' and d.wake_at <= $1 and d.id <> all ($2::text[]) and d.bucket = any ($buckets)
  order by d.wake_at, d.id
  limit $3`;

const LOOK_FOR_RUNNING = `-- name: look for running replays
  select r.bucket
  from replays r
  where r.state = 'running' and r.bucket = any ($buckets)
  limit $1`;

const LOOK_FOR_MESSAGES = `-- name: look for messages that are due
  select m.bucket
  from messages m
  where m.route = $1 and m.due_at <= $2 and m.bucket = any ($buckets)
  limit $3`;

const LOOK_FOR_SHUT = `-- name: look for destinations with something left
  select d.bucket
  from destinations d
  where d.next_due_at is not null and (d.deleted_at is not null or d.state <> 'on' and d.next_due_at < $1)
    and d.bucket = any ($buckets)
  limit $2`;

/** A destination with something pending has a bound. As many rows as destinations at most, and not as deliveries. */
const LOOK_FOR_BOUNDS = `-- name: look for destinations with a bound
  select d.bucket
  from destinations d
  where d.next_due_at is not null and d.bucket = any ($buckets)
  group by d.bucket`;

const LOOK_FOR_IN_MEMORY = `-- name: look for events with something in memory
  select e.bucket
  from events e
  where e.body <> '' and e.accepted_at >= $1 and ${isIn("e.id", 2)} and e.lease_id = any ($6::bigint[])
    and e.in_memory is not null and e.bucket = any ($buckets)
  limit $7`;

const LOOK_FOR_EVENTS = `-- name: look for new events
  select e.bucket
  from events e
  where e.body <> '' and e.accepted_at >= $1 and ${isIn("e.id", 2)} and e.bucket = any ($buckets)
  limit $6`;
