/**
 * Accepting: an event, its key against repeats and all its deliveries, or nothing of it. Deliveries that the calling
 * node starts at once get no row here (the fast path): their event names them, under the node's lease, and each is
 * written once, when it ends (see `../in-memory-deliveries.ts`). Many calls share two round trips: what was decided
 * with and keys, then rows and the commit.
 *
 * Invariant: one event for each account, type and source id, forever. Where two nodes bring the same one at once, the
 * second waits for the first's commit at the key.
 */
import { assert } from "../../../lib/assert.ts";
import type { AcceptedEvent, AcceptEvents, Claim, NewDelivery, NewEvent } from "../../contract/path.ts";
import type { PathWork } from "./path-state.ts";
import { findDiffering, insertKeys, type KeyedEvent, type KnownKey, takeBackKeys, toKey } from "./event-keys.ts";
import { hasCleanRecord } from "../../../domain/destination-health.ts";
import { isHeld } from "../../../domain/destination-now.ts";
import { destinationNow } from "./destinations.ts";
import { givenRows } from "./given-rows.ts";
import { toInMemoryText } from "./in-memory.ts";
import { findGone, removeAccepted, seqsOf } from "../inbox.ts";
import type { Lease, InMemoryDelivery } from "../in-memory-deliveries.ts";
import { insertAccepted, type PendingRow } from "./settle-in-memory.ts";
import { renewLease } from "./leases.ts";
import type { Transaction } from "../transaction.ts";

/** Answers for each call, in order. */
export function acceptEvents(tx: Transaction, calls: readonly AcceptEvents[]): PathWork<AcceptedEvent[]> {
  const given = calls.flatMap(({ events, claim, nowMs }) =>
    events.map((event) => ({ event, key: toKey(event), claim, nowMs })),
  );
  const taken = startTaking(tx, given);
  const idsOf = ({ event }: GivenEvent) => event.deliveries.map(({ destinationId }) => destinationId);
  return {
    needs: { destinationIds: given.flatMap(idsOf), leaseIds: taken === null ? [] : [taken.lease.id] },
    async run(loaded) {
      const [lease, inserted, gone] = await Promise.all([
        holdLease(tx, { given, taken, loaded }),
        insertKeys(tx, given),
        findGone(tx, seqsOf(given.map(({ event }) => event))),
      ]);
      const answers = await accept(tx, { given, taken, lease, inserted, gone });
      return calls.map(({ events }) => answers.splice(0, events.length));
    },
  };
}

interface Accept {
  readonly given: readonly GivenEvent[];
  readonly taken: Taking | null;
  readonly lease: Lease | null;
  readonly inserted: ReadonlyMap<string, KnownKey>;
  /** Records of the inbox that no event comes of any more. */
  readonly gone: ReadonlySet<number>;
}

/** Answers for each event, in order. */
async function accept(tx: Transaction, { given, taken, lease, inserted, gone }: Accept): Promise<AcceptedEvent[]> {
  const isValid = ({ event }: GivenEvent) => tx.configVersions.get(event.accountId) === event.configVersion;
  const valid = given.filter((item) => isValid(item) && !gone.has(item.event.inboxSeq ?? 0));
  const known = valid.length === given.length ? inserted : await takeBackKeys(tx, inserted, valid);
  const fresh = valid
    .filter((item) => known.get(item.key)?.first === item)
    .map((item) => splitDeliveries(tx, item, lease));
  taken?.deliveries.push(...fresh.flatMap((event) => toInMemoryDeliveries(tx, event)));
  const done = valid.map(({ event }) => event);
  insertRows(tx, fresh);
  removeAccepted(tx, done);
  const accepted = new Map(fresh.map(({ item, refused }) => [item, refused]));
  const repeats = valid.filter((item) => !accepted.has(item));
  const differing = repeats.length === 0 ? null : await findDiffering(tx, known, repeats);
  return given.map((item): AcceptedEvent => {
    if (!isValid(item)) return { kind: "config_changed" };
    const refused = accepted.get(item);
    if (refused !== undefined) return { kind: "accepted", unclaimed: refused };
    return { ...toDuplicate(known, item), differs: differing?.has(item) === true };
  });
}

interface GivenEvent extends KeyedEvent {
  readonly claim: Claim;
  readonly nowMs: number;
}

/** Deliveries that this transaction adds to memory under the node's lease, or `null`. */
interface Taking {
  readonly lease: Lease;
  readonly deliveries: InMemoryDelivery[];
}

function startTaking({ node: { inMemory }, onEnd }: Transaction, given: readonly GivenEvent[]): Taking | null {
  const { lease } = inMemory;
  const atMs = Math.min(...given.filter(({ event }) => wantsClaim(event)).map(({ nowMs }) => nowMs));
  return lease === null || atMs === Infinity ? null : { lease, deliveries: inMemory.accept({ onEnd }, lease, atMs) };
}

/** Whether this node has room for any of its deliveries. */
export const wantsClaim = ({ deliveries }: NewEvent): boolean => deliveries.some(({ claimed }) => claimed);

interface HoldLease {
  readonly given: readonly GivenEvent[];
  readonly taken: Taking | null;
  readonly loaded: Promise<ReadonlySet<number>>;
}

/** `null`: there is none, or this node has lost it. */
async function holdLease(tx: Transaction, { given, taken, loaded }: HoldLease): Promise<Lease | null> {
  const held = await loaded;
  if (taken !== null) await renewLease(tx, Math.max(...given.map(({ nowMs }) => nowMs)));
  return taken !== null && held.has(taken.lease.id) ? taken.lease : null;
}

function toDuplicate(known: ReadonlyMap<string, KnownKey>, { event, key }: KeyedEvent) {
  const first = known.get(key);
  assert(first !== undefined, `the key of a ${event.type} of account ${event.accountId} is both known and unknown`);
  return { kind: "duplicate", eventId: first.eventId, deliveries: first.deliveries } as const;
}

interface FreshEvent {
  readonly item: GivenEvent;
  readonly lease: Lease | null;
  /** Deliveries that get no row yet. */
  readonly inMemory: readonly NewDelivery[];
  readonly waiting: readonly PendingRow[];
  /** Ids of those that were to be claimed but are not. */
  readonly refused: readonly string[];
}

/**
 * The node that accepts may not know yet that a destination is not on, is held back or gets one at a time. Without a
 * lease a delivery is claimed in its row, and so is one that comes so late that its event lies before the lease's mark.
 */
function splitDeliveries(tx: Transaction, item: GivenEvent, lease: Lease | null): FreshEvent {
  const { event, claim, nowMs } = item;
  // One that is not there fails the call, before anything goes out with the commit.
  for (const { destinationId } of event.deliveries) destinationNow(tx, destinationId);
  const isOpenTo = ({ destinationId }: NewDelivery): boolean => {
    const destination = destinationNow(tx, destinationId);
    return destination.state === "on" && !destination.isOneAtATime && !isHeld(destination, nowMs);
  };
  const wanted = event.deliveries.filter(({ claimed }) => claimed);
  const free = new Set(wanted.filter(isOpenTo));
  const takes = lease !== null && nowMs >= lease.lowWaterMs;
  const toRow = (delivery: NewDelivery): PendingRow => ({
    id: delivery.id,
    eventId: event.id,
    accountId: event.accountId,
    destinationId: delivery.destinationId,
    acceptedAtMs: nowMs,
    dueAtMs: free.has(delivery) ? claim.untilMs : nowMs,
    claimToken: free.has(delivery) ? claim.token : null,
  });
  return {
    item,
    lease,
    inMemory: takes ? [...free] : [],
    waiting: event.deliveries.filter((delivery) => !takes || !free.has(delivery)).map(toRow),
    refused: wanted.filter((delivery) => !free.has(delivery)).map(({ id }) => id),
  };
}

function toInMemoryDeliveries(tx: Transaction, { inMemory, lease, item }: FreshEvent): InMemoryDelivery[] {
  const { event, claim, nowMs } = item;
  if (lease === null) return [];
  return inMemory.map(({ id, destinationId }) => ({
    id,
    eventId: event.id,
    accountId: event.accountId,
    destinationId,
    acceptedAtMs: nowMs,
    claim,
    leaseId: lease.id,
    moves: tx.moves.get(event.accountId) ?? 0,
    succeedsAlone: hasCleanRecord(destinationNow(tx, destinationId).health),
  }));
}

/** They go out with the commit. */
function insertRows(tx: Transaction, fresh: readonly FreshEvent[]): void {
  if (fresh.length === 0) return;
  const waiting = fresh.flatMap((event) => event.waiting);
  tx.later(tx.db.run(INSERT_EVENTS, ...GIVEN_EVENTS.toValues(fresh.map(eventRow))));
  tx.later(insertAccepted(tx, waiting));
}

function eventRow({ item: { event, claim, nowMs }, lease, inMemory }: FreshEvent) {
  const { id, accountId, type, sourceId, body, notSent, traceContext } = event;
  const taken =
    inMemory.length === 0
      ? {}
      : {
          in_memory: toInMemoryText(inMemory),
          lease_id: lease?.id,
          held_until: claim.untilMs,
          claim_token: claim.token,
        };
  return {
    id,
    account_id: accountId,
    type,
    accepted_at: nowMs,
    source_id: sourceId,
    assistant_id: event.assistantId ?? "",
    body,
    not_sent: notSent ?? undefined,
    trace_context: traceContext ?? undefined,
    ...taken,
  };
}

const GIVEN_EVENTS = givenRows({
  id: "text",
  account_id: "text",
  type: "text",
  accepted_at: "bigint",
  source_id: "text",
  assistant_id: "text",
  body: "text",
  not_sent: "text",
  trace_context: "text",
  in_memory: "text",
  lease_id: "bigint",
  held_until: "bigint",
  claim_token: "text",
});

const INSERT_EVENTS = `-- name: insert events
  insert into events (
    id, account_id, type, accepted_at, source_id, assistant_id, body, not_sent, trace_context, in_memory,
    lease_id, held_until, claim_token
  )
  select id, account_id, type, accepted_at, source_id, assistant_id, body, not_sent, trace_context, in_memory,
    lease_id, held_until, claim_token
  from (select ${GIVEN_EVENTS.columns}) as given`;
