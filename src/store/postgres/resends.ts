/**
 * Resending: a delivery that has ended becomes pending again, due now, with the whole retry schedule before it. Only a
 * person does that, for one delivery or through a replay; it stays the same delivery, so receivers see the same
 * `webhook-id`, and its attempts are numbered on.
 *
 * Invariant: what is pending has its payload. The event's row is held while it is decided, so that no purge can take
 * the payload meanwhile.
 */
import type { ResendResult } from "../contract/log.ts";
import type { ResendOfDeliveries } from "../sql/dialect.ts";
import { findResendResult, type ResendRow as AskedRow } from "../sql/resends.ts";
import { holdDueBounds, lowerDueBounds, noteDue } from "./destination-now.ts";
import { moveFirstAttempts, WITHOUT_FIRST_ATTEMPT } from "./first-attempts.ts";
import { findInHand } from "./in-hand.ts";
import type { Transaction } from "./transaction.ts";

export async function resendDeliveries(
  tx: Transaction,
  resend: ResendOfDeliveries,
): Promise<Map<string, ResendResult>> {
  const { person, nowMs } = resend;
  const rows = await lockForResend(tx, resend);
  const results = new Map(rows.map((row) => [row.id, findResendResult(row)]));
  for (const id of resend.deliveryIds) if (!results.has(id)) await noteInHand(tx, resend, { id, results });
  const queued = rows.filter(({ id }) => results.get(id) === "queued");
  if (queued.length === 0) return results;
  const dueTimes = new Map<string, number>();
  for (const { destinationId } of queued) noteDue(dueTimes, destinationId ?? "", nowMs);
  await holdDueBounds(tx, dueTimes.keys());
  await lowerDueBounds(tx, dueTimes);
  const ids = queued.map(({ id }) => id);
  await moveFirstAttempts(tx, ids);
  await tx.db.run(RESEND, nowMs, person, ids);
  return results;
}

/** It has no row yet, or there is no such delivery. */
async function noteInHand(
  tx: Transaction,
  { accountId }: ResendOfDeliveries,
  { id, results }: { readonly id: string; readonly results: Map<string, ResendResult> },
): Promise<void> {
  if ((await findInHand(tx, { accountId, deliveryId: id })) !== null) results.set(id, "pending_already");
}

/**
 * The events first, as a purge does. By their ids, which never change, so that each statement is planned for the days
 * that it is about.
 */
async function lockForResend(tx: Transaction, { accountId, deliveryIds }: ResendOfDeliveries): Promise<ResendRow[]> {
  const asked = await tx.db.all<{ eventId: string }>(LIST_EVENT_IDS, deliveryIds, accountId);
  const eventIds = [...new Set(asked.map(({ eventId }) => eventId))];
  const [events, rows] = await Promise.all([
    tx.db.all<{ id: string; hasBody: boolean }>(LOCK_EVENTS, eventIds),
    tx.db.all<Omit<ResendRow, "hasBody">>(LOCK_FOR_RESEND, deliveryIds, accountId),
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

const LIST_EVENT_IDS = `-- name: list events of deliveries
  select event_id as "eventId"
  from deliveries
  where id = any ($1::text[]) and account_id = $2`;

const LOCK_EVENTS = `-- name: lock events for resending
  select id, body <> '' as "hasBody"
  from events
  where id = any ($1::text[])
  order by id
  for key share`;

/** Exported for the test that reads its plan. */
export const LOCK_FOR_RESEND = `-- name: lock deliveries for resending
  select d.id, d.event_id as "eventId", d.state, d.is_test as "isTest", d.destination_id as "destinationId",
    t.id is null or t.deleted_at is not null as "isDestinationDeleted"
  from deliveries d
  left join destinations t on t.id = d.destination_id
  where d.id = any ($1::text[]) and d.account_id = $2
  order by d.id
  for no key update of d`;

const RESEND = `-- name: make deliveries pending again
  update deliveries
  set state = 'pending', due_at = $1, settled_at = null, attempts_before = attempts_made, resent_at = $1,
    resent_by = $2,
    ${WITHOUT_FIRST_ATTEMPT}
  where id = any ($3::text[]) and state <> 'pending'`;
