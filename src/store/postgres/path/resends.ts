/**
 * Resending: a delivery that has ended becomes pending again, due now, with the whole retry schedule before it; one
 * that waits becomes due now, and its schedule goes on. Only a person does that, for some deliveries or through a
 * replay. Each stays the same delivery, so receivers see the same `webhook-id`, and its attempts are numbered on.
 *
 * Invariant: what is pending has its payload. The event's row is held while it is decided, so that no purge can take
 * the payload meanwhile.
 */
import type { ResendOfDeliveries, ResentDelivery } from "../../sql/dialect.ts";
import { findResendResult, RESEND_COLUMNS, type ResendRow as AskedRow, toFirstDueMs } from "../../sql/path/resends.ts";
import { joinOrder, leaveOrder } from "./order.ts";
import { destinationNow, holdDueBounds, lockDestinations, lowerDueBounds } from "./destinations.ts";
import { moveFirstAttempts, WITHOUT_FIRST_ATTEMPT } from "./settle-in-memory.ts";
import { hasId, isInDays, spanOf, toPlaceholders } from "../days.ts";
import { findInMemory } from "./in-memory.ts";
import type { Transaction } from "../transaction.ts";

export async function resendDeliveries(
  tx: Transaction,
  resend: ResendOfDeliveries,
): Promise<Map<string, ResentDelivery>> {
  const rows = await lockForResend(tx, resend);
  const results = new Map(rows.map((row) => [row.id, toResent(row, resend)]));
  for (const id of resend.deliveryIds) if (!results.has(id)) await noteInMemory(tx, resend, { id, results });
  const queued = rows.filter(({ id }) => results.get(id)?.result === "queued");
  if (queued.length > 0) await makeDue(tx, resend, queued);
  return results;
}

const toResent = (row: ResendRow, resend: ResendOfDeliveries): ResentDelivery => ({
  result: findResendResult(row, resend),
  destinationId: row.destinationId ?? "",
});

/** It has no row yet, or has got it since the rows were looked for, or no such delivery exists. */
async function noteInMemory(
  tx: Transaction,
  { accountId }: ResendOfDeliveries,
  { id, results }: { readonly id: string; readonly results: Map<string, ResentDelivery> },
): Promise<void> {
  const isThere =
    (await findInMemory(tx, { accountId, deliveryId: id })) !== null ||
    (await tx.db.get<{ id: string }>(FIND_ROW, id, accountId)) !== undefined;
  if (!isThere) return;
  results.set(id, { result: "in_memory", destinationId: "" });
}

async function makeDue(tx: Transaction, resend: ResendOfDeliveries, queued: readonly ResendRow[]): Promise<void> {
  const { person, isFirst, nowMs } = resend;
  const byDestination = Map.groupBy(queued, ({ destinationId }) => destinationId ?? "");
  const destinationIds = [...byDestination.keys()];
  // The locks of those that go first are kept: the rest of their destination ends with them.
  if (isFirst) await lockDestinations(tx, destinationIds);
  else await holdDueBounds(tx, destinationIds);
  const earliest = isFirst ? await tx.db.all<EarliestRow>(LIST_EARLIEST_DUE, destinationIds) : [];
  const dueTimes = new Map(destinationIds.map((id) => [id, nowMs]));
  for (const { id, dueAtMs } of earliest) {
    if (!destinationNow(tx, id).isOneAtATime) dueTimes.set(id, toFirstDueMs(dueAtMs, nowMs));
  }
  await lowerDueBounds(tx, dueTimes);
  const ended = queued.filter(({ state }) => state !== "pending").map(({ id }) => id);
  if (ended.length > 0) await moveFirstAttempts(tx, ended);
  const joining = queued.filter(({ state }) => state !== "pending");
  await joinOrder(
    tx,
    joining.map(({ id, destinationId }) => ({ id, accountId: resend.accountId, destinationId: destinationId ?? "" })),
  );
  for (const [destinationId, rows] of byDestination) {
    const dueAtMs = dueTimes.get(destinationId) ?? nowMs;
    const ids = (isPending: boolean) => rows.filter(({ state }) => (state === "pending") === isPending).map(toId);
    const [waiting, again] = [ids(true), ids(false)];
    await Promise.all([
      waiting.length === 0 ? 0 : tx.db.run(HURRY, dueAtMs, waiting),
      again.length === 0 ? 0 : tx.db.run(RESEND, dueAtMs, nowMs, person, again, ...toPlaceholders(spanOf(again))),
    ]);
  }
}

interface EarliestRow {
  readonly id: string;
  readonly dueAtMs: number | null;
}

const toId = ({ id }: { readonly id: string }): string => id;

/**
 * Locks events before deliveries, as a purge does. Both are found by their ids, so that the planner reads only the days
 * that these ids belong to.
 */
async function lockForResend(tx: Transaction, { accountId, deliveryIds }: ResendOfDeliveries): Promise<ResendRow[]> {
  const days = toPlaceholders(spanOf(deliveryIds));
  const asked = await tx.db.all<{ eventId: string }>(LIST_EVENT_IDS, deliveryIds, accountId, ...days);
  const eventIds = [...new Set(asked.map(({ eventId }) => eventId))];
  const [events, rows] = await Promise.all([
    tx.db.all<{ id: string; hasBody: boolean }>(LOCK_EVENTS, eventIds),
    tx.db.all<Omit<ResendRow, "hasBody">>(LOCK_FOR_RESEND, deliveryIds, accountId, ...days),
  ]);
  const hasBody = new Map(events.map((event) => [event.id, event.hasBody]));
  return rows.flatMap((row) => {
    const has = hasBody.get(row.eventId);
    return has === undefined ? [] : [{ ...row, hasBody: has }];
  });
}

interface ResendRow extends AskedRow {
  readonly id: string;
  readonly eventId: string;
}

const FIND_ROW = `-- name: find row of delivery
  select d.id
  from deliveries d
  where ${hasId("d", 1)} and d.account_id = $2`;

const LIST_EVENT_IDS = `-- name: list events of deliveries
  select event_id as "eventId"
  from deliveries d
  where d.id = any ($1::text[]) and d.account_id = $2 and ${isInDays("d", 3)}`;

const LOCK_EVENTS = `-- name: lock events for resending
  select e.id, e.body <> '' as "hasBody"
  from events e
  where e.id = any ($1::text[])
  order by e.id
  for key share`;

/** Exported for the test that reads its plan. */
export const LOCK_FOR_RESEND = `-- name: lock deliveries for resending
  select d.id, d.event_id as "eventId", ${RESEND_COLUMNS}
  from deliveries d
  left join destinations t on t.id = d.destination_id
  where d.id = any ($1::text[]) and d.account_id = $2 and ${isInDays("d", 3)}
  order by d.id
  for no key update of d`;

const LIST_EARLIEST_DUE = `-- name: list earliest due times of destinations
  select t.id, (
    select min(d.due_at)
    from deliveries d
    where d.destination_id = t.id and d.state = 'pending' and not d.is_ended
  ) as "dueAtMs"
  from unnest($1::text[]) as t (id)`;

const RESEND = `-- name: make deliveries pending again
  update deliveries d
  set state = 'pending', is_ended = false, due_at = $1, settled_at = null, attempts_before = attempts_made,
    resent_at = $2,
    resent_by = $3,
    ${WITHOUT_FIRST_ATTEMPT}
  where d.id = any ($4::text[]) and d.is_ended and ${isInDays("d", 5)}`;

/** One whose claim has run out is due already. */
const HURRY = `-- name: make waiting deliveries due
  update deliveries d
  set due_at = $1
  where d.id = any ($2::text[]) and d.state = 'pending' and not d.is_ended and d.claim_token is null and d.due_at > $1`;

export async function cancelDeliveries(tx: Transaction, ids: readonly string[], nowMs: number): Promise<number> {
  const [cancelled] =
    ids.length === 0 ? [0] : await Promise.all([tx.db.run(CANCEL_DELIVERIES, ids, nowMs), leaveOrder(tx, ids)]);
  return cancelled;
}

const CANCEL_DELIVERIES = `-- name: cancel deliveries
  update deliveries
  set state = 'cancelled', is_ended = true, due_at = null, claim_token = null, settled_at = $2
  where id = any ($1::text[]) and state = 'pending' and not is_ended`;
