/**
 * Accepting: an event, its key against repeats and all its deliveries, or nothing of it. Deliveries that the calling
 * node starts at once get no row: they are in memory (`in-memory-deliveries.ts`). The others wait in theirs.
 *
 * Invariant: one event for each account, type and source id, forever.
 */
import { assert } from "../../../lib/assert.ts";
import type { AcceptedEvent, AcceptEvents, Claim, NewDelivery, NewEvent } from "../../contract/path.ts";
import { configVersionNow } from "./config-version.ts";
import { isHeld } from "../../../domain/destination-now.ts";
import { destinationNow } from "./destinations.ts";
import { writePending } from "./pending-rows.ts";
import type { Transaction } from "../transaction.ts";

export function acceptEvents(tx: Transaction, { events, claim, nowMs }: AcceptEvents): AcceptedEvent[] {
  return events.map((event) => acceptEvent(tx, event, { claim, nowMs }));
}

interface AcceptContext {
  readonly claim: Claim;
  readonly nowMs: number;
}

function acceptEvent(tx: Transaction, event: NewEvent, context: AcceptContext): AcceptedEvent {
  if (configVersionNow(tx, event.accountId) !== event.configVersion) return { kind: "config_changed" };
  assert((event.inboxSeq ?? null) === null, "an event cannot come from an inbox that is always empty");
  const { id, accountId, type, sourceId, body, deliveries } = event;
  if (tx.db.run(INSERT_KEY, accountId, type, sourceId, id, deliveries.length) === 0) {
    return { kind: "duplicate", ...findFirstEvent(tx, event) };
  }
  const assistantId = event.assistantId ?? "";
  const names = nameDeliveries(deliveries);
  const trace = event.traceContext ?? null;
  const eventSeq = takeEventSeq(tx);
  const told = [assistantId, trace, event.notSent ?? null] as const;
  tx.db.run(INSERT_EVENT, eventSeq, id, accountId, type, context.nowMs, names, body, sourceId, ...told);
  const unclaimed = deliveries.flatMap((delivery) => queue(tx, delivery, { ...context, event, eventSeq }));
  tx.waitingChange += deliveries.length;
  return { kind: "accepted", unclaimed };
}

/** The event that brought the session or conversation first, purged or not. */
function findFirstEvent(tx: Transaction, { accountId, type, sourceId, body }: NewEvent): FirstEvent {
  const first = tx.db.get<Omit<FirstEvent, "differs"> & { differs: 0 | 1 }>(
    FIND_FIRST_EVENT,
    body,
    accountId,
    type,
    sourceId,
  );
  assert(first !== undefined, "a key that is there already has no row");
  return { ...first, differs: first.differs === 1 };
}

type FirstEvent = Omit<Extract<AcceptedEvent, { kind: "duplicate" }>, "kind">;

/**
 * A number that no event had before, also when the newest ones are purged: low-water marks name events by it. SQLite's
 * own numbers begin again behind the newest row that is left.
 */
export function takeEventSeq(tx: Transaction): number {
  const seq = tx.nextEventSeq;
  tx.nextEventSeq += 1;
  return seq;
}

/** As the event's row has them. Not of an object, because V8 would look each id up among all names that it knows. */
export function nameDeliveries(deliveries: readonly Pick<NewDelivery, "id" | "destinationId">[]): string {
  const names = deliveries.map(({ id, destinationId }) => `${JSON.stringify(id)}:${JSON.stringify(destinationId)}`);
  return `{${names.join(",")}}`;
}

interface Queueing extends AcceptContext {
  readonly event: NewEvent;
  readonly eventSeq: number;
}

/** Keeps a delivery in memory for the node that claims it, or lets it wait. Returns its id when the node wanted it. */
function queue(tx: Transaction, delivery: NewDelivery, { event, eventSeq, claim, nowMs }: Queueing): string[] {
  const { id, destinationId, claimed } = delivery;
  const queued = { id, eventSeq, accountId: event.accountId, destinationId, acceptedAtMs: nowMs, claim };
  if (claimed && maySend(tx, delivery, nowMs)) {
    tx.inMemory.add(queued);
    return [];
  }
  writePending(tx, queued, { dueAtMs: nowMs, claimToken: null });
  return claimed ? [id] : [];
}

/** The node that accepts may not know yet that the destination is not on, is throttled, or gets one at a time. */
function maySend(tx: Transaction, { destinationId }: NewDelivery, nowMs: number): boolean {
  const destination = destinationNow(tx, destinationId);
  return destination.state === "on" && !destination.isOneAtATime && !isHeld(destination, nowMs);
}

/** No row when the session or conversation had an event before: the key's table allows one. */
const INSERT_KEY = `-- name: insert event key
  insert into event_keys (account_id, type, source_id, event_id, deliveries)
  values (?, ?, ?, ?, ?)
  on conflict do nothing`;

const FIND_FIRST_EVENT = `-- name: find first event of key
  select k.event_id as "eventId", k.deliveries, coalesce(e.body <> '' and e.body <> ?, 0) as differs
  from event_keys k
  left join events e on e.id = k.event_id
  where k.account_id = ? and k.type = ? and k.source_id = ?`;

/** Also for the events of tests, which have no key and no source. */
export const INSERT_EVENT = `-- name: insert event
  insert into events
    (seq, id, account_id, type, accepted_at, deliveries, body, source_id, assistant_id, trace_context, not_sent)
  values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;
