/**
 * Accepting: an event, its key against repeats and all its deliveries, or nothing of it. Deliveries that the calling
 * node starts at once are inserted already claimed, which saves the claim (the fast path). Many calls share four
 * rounds: what was decided with, keys, rows, commit.
 *
 * Invariant: one event for each account, type and source id, forever. Where two nodes bring the same one at once, the
 * second waits for the first's commit at the key.
 */
import { assert } from "../../lib/assert.ts";
import type { AcceptedEvent, AcceptEvents, Claim, NewDelivery, NewEvent } from "../contract/path.ts";
import { noteConfigVersions } from "./config-version.ts";
import { isHeld } from "../../domain/destination-now.ts";
import { destinationNow, holdDueBounds, lowerDueBounds, noteDue } from "./destination-now.ts";
import { removeAccepted } from "./inbox.ts";
import type { Transaction } from "./transaction.ts";

/** Answers for each call, in order. */
export async function acceptEvents(tx: Transaction, calls: readonly AcceptEvents[]): Promise<AcceptedEvent[][]> {
  const given = calls.flatMap(({ events, claim, nowMs }) => events.map((event) => ({ event, claim, nowMs })));
  await loadSituation(tx, given);
  const isValid = ({ event }: GivenEvent) => tx.configVersions.get(event.accountId) === event.configVersion;
  const valid = given.filter(isValid);
  const known = await insertKeys(tx, valid);
  const fresh = valid
    .filter((item) => known.get(toKey(item.event))?.first === item)
    .map((item) => ({ item, ...splitByRoom(tx, item) }));
  const done = valid.map(({ event }) => event);
  await Promise.all([insertRows(tx, fresh), removeAccepted(tx, done)]);
  const accepted = new Map(fresh.map(({ item, refused }) => [item, refused]));
  const answers = given.map((item): AcceptedEvent => {
    if (!isValid(item)) return { kind: "config_changed" };
    const refused = accepted.get(item);
    return refused === undefined ? toDuplicate(known, item.event) : { kind: "accepted", unclaimed: refused };
  });
  return calls.map(({ events }) => answers.splice(0, events.length));
}

interface GivenEvent {
  readonly event: NewEvent;
  readonly claim: Claim;
  readonly nowMs: number;
}

/** One round: configuration versions and destinations. */
async function loadSituation(tx: Transaction, given: readonly GivenEvent[]): Promise<void> {
  const events = given.map(({ event }) => event);
  const destinationIds = events.flatMap(({ deliveries }) => deliveries.map(({ destinationId }) => destinationId));
  await Promise.all([
    noteConfigVersions(
      tx,
      events.map(({ accountId }) => accountId),
    ),
    holdDueBounds(tx, destinationIds),
  ]);
}

interface KnownKey {
  /** The event of this batch that brought the key, or `null`: it was known before. */
  readonly first: GivenEvent | null;
  readonly eventId: string;
  readonly deliveries: number;
}

/** Keys of the batch with the event that each one belongs to. */
async function insertKeys(tx: Transaction, valid: readonly GivenEvent[]): Promise<Map<string, KnownKey>> {
  const known = new Map<string, KnownKey>();
  const firsts = new Map(valid.toReversed().map((item) => [toKey(item.event), item]));
  if (firsts.size === 0) return known;
  const events = [...firsts.values()].map(({ event }) => event);
  const columns = keyColumns(events);
  const inserted = await tx.db.all<KeyRow>(
    INSERT_EVENT_KEYS,
    ...columns,
    events.map(({ id }) => id),
    events.map(({ deliveries }) => deliveries.length),
  );
  for (const row of inserted) known.set(toKey(row), { ...row, first: firsts.get(toKey(row)) ?? null });
  if (inserted.length === events.length) return known;
  const repeated = events.filter((event) => !known.has(toKey(event)));
  const found = await tx.db.all<KeyRow>(FIND_EVENT_KEYS, ...keyColumns(repeated));
  for (const row of found) known.set(toKey(row), { ...row, first: null });
  return known;
}

function keyColumns(events: readonly NewEvent[]): [string[], string[], string[]] {
  for (const { sourceId } of events) assert(UUID.test(sourceId), `"${sourceId}" is not a UUID`);
  return [
    events.map(({ accountId }) => accountId),
    events.map(({ type }) => type),
    events.map(({ sourceId }) => sourceId),
  ];
}

const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/;

/** An account's id may have any character but a line's end. */
const toKey = ({ accountId, type, sourceId }: Pick<NewEvent, "accountId" | "type" | "sourceId">): string =>
  `${accountId}\n${type}\n${sourceId}`;

function toDuplicate(known: ReadonlyMap<string, KnownKey>, event: NewEvent): AcceptedEvent {
  const first = known.get(toKey(event));
  assert(first !== undefined, `the key of a ${event.type} of account ${event.accountId} is both known and unknown`);
  return { kind: "duplicate", eventId: first.eventId, deliveries: first.deliveries };
}

interface FreshEvent {
  readonly item: GivenEvent;
  /** Ids of deliveries that are inserted as claimed. */
  readonly claimed: ReadonlySet<string>;
  /** Ids of those that were to be claimed but are not. */
  readonly refused: readonly string[];
}

/** The node that accepts may not know yet that a destination is not on or held back. */
function splitByRoom(tx: Transaction, { event, nowMs }: GivenEvent): Pick<FreshEvent, "claimed" | "refused"> {
  const isOpenTo = ({ destinationId }: NewDelivery): boolean => {
    const destination = destinationNow(tx, destinationId);
    return destination.state === "on" && !isHeld(destination, nowMs);
  };
  const wanted = event.deliveries.filter(({ claimed }) => claimed);
  const open = wanted.filter(isOpenTo);
  return {
    claimed: new Set(open.map(({ id }) => id)),
    refused: wanted.filter((delivery) => !open.includes(delivery)).map(({ id }) => id),
  };
}

async function insertRows(tx: Transaction, fresh: readonly FreshEvent[]): Promise<void> {
  if (fresh.length === 0) return;
  const rows = fresh.flatMap(deliveryRows);
  const dueTimes = new Map<string, number>();
  for (const { destinationId, dueAtMs } of rows) noteDue(dueTimes, destinationId, dueAtMs);
  await Promise.all([
    tx.db.run(INSERT_EVENTS, JSON.stringify(fresh.map(eventRow))),
    rows.length === 0 ? 0 : insertDeliveries(tx, rows),
    lowerDueBounds(tx, dueTimes),
  ]);
}

function eventRow({ item: { event, nowMs } }: FreshEvent) {
  const { id, accountId, type, sourceId, body, traceContext = null } = event;
  return {
    id,
    account_id: accountId,
    type,
    accepted_at: nowMs,
    source_id: sourceId,
    assistant_id: type === "demo_viewed" ? "" : (event.assistantId ?? ""),
    body,
    trace_context: traceContext,
  };
}

interface DeliveryRow {
  readonly id: string;
  readonly eventId: string;
  readonly accountId: string;
  readonly destinationId: string;
  readonly dueAtMs: number;
  readonly claimToken: string | null;
  readonly createdAtMs: number;
}

function deliveryRows({ item: { event, claim, nowMs }, claimed }: FreshEvent): DeliveryRow[] {
  return event.deliveries.map(({ id, destinationId }) => ({
    id,
    eventId: event.id,
    accountId: event.accountId,
    destinationId,
    dueAtMs: claimed.has(id) ? claim.untilMs : nowMs,
    claimToken: claimed.has(id) ? claim.token : null,
    createdAtMs: nowMs,
  }));
}

function insertDeliveries(tx: Transaction, rows: readonly DeliveryRow[]): Promise<number> {
  return tx.db.run(
    INSERT_DELIVERIES,
    rows.map(({ id }) => id),
    rows.map(({ eventId }) => eventId),
    rows.map(({ accountId }) => accountId),
    rows.map(({ destinationId }) => destinationId),
    rows.map(({ dueAtMs }) => dueAtMs),
    rows.map(({ claimToken }) => claimToken),
    rows.map(({ createdAtMs }) => createdAtMs),
  );
}

interface KeyRow extends Pick<NewEvent, "accountId" | "type" | "sourceId"> {
  readonly eventId: string;
  readonly deliveries: number;
}

/** In the order of the keys, so that two batches with the same ones wait for each other in one direction only. */
const INSERT_EVENT_KEYS = `-- name: insert event keys unless known
  insert into event_keys (account_id, type, source_id, event_id, deliveries)
  select account_id, type, source_id, event_id, deliveries
  from unnest($1::text[], $2::text[], $3::uuid[], $4::text[], $5::integer[])
    as given (account_id, type, source_id, event_id, deliveries)
  order by account_id collate "C", type collate "C", source_id
  on conflict do nothing
  returning account_id as "accountId", type, source_id as "sourceId", event_id as "eventId", deliveries`;

const FIND_EVENT_KEYS = `-- name: find event keys
  select k.account_id as "accountId", k.type, k.source_id as "sourceId", k.event_id as "eventId", k.deliveries
  from unnest($1::text[], $2::text[], $3::uuid[]) as given (account_id, type, source_id)
  join event_keys k
    on k.account_id = given.account_id and k.type = given.type and k.source_id = given.source_id`;

/** As one JSON text: in an array, pg escapes each body by itself, which took ten times as long (80 µs each of 1 KB). */
const INSERT_EVENTS = `-- name: insert events
  insert into events (id, account_id, type, accepted_at, source_id, assistant_id, body, trace_context)
  select id, account_id, type, accepted_at, source_id, assistant_id, body, trace_context
  from json_to_recordset($1::json) as given (
    id text, account_id text, type text, accepted_at bigint, source_id uuid, assistant_id text, body text,
    trace_context text
  )`;

const INSERT_DELIVERIES = `-- name: insert pending deliveries
  insert into deliveries (id, event_id, account_id, destination_id, state, due_at, claim_token, created_at)
  select id, event_id, account_id, destination_id, 'pending', due_at, claim_token, created_at
  from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::bigint[], $6::text[], $7::bigint[])
    as given (id, event_id, account_id, destination_id, due_at, claim_token, created_at)`;
