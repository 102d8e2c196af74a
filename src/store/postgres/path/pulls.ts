/**
 * Handing out on PostgreSQL: the queue of one destination, in the order that a claim of a node would take it. Two
 * programs that ask at once pass over what the other is given (`skip locked`).
 */
import type { HandOut } from "../../../domain/pull.ts";
import type { HandOutDue, ListPulledDue } from "../../contract/pull.ts";
import type { SettleAttempts } from "../../contract/path.ts";
import type { PullSteps } from "../../sql/dialect.ts";
import { type DueMessage, HELD_COLUMNS } from "../../sql/path/pull-rows.ts";
import { packAttempt } from "../attempts.ts";
import { READ_IN_ORDER } from "../connection/transaction-settings.ts";
import { type EventRow, LIST_EVENTS } from "./claims.ts";
import { settleAttemptsIfClaimed } from "./settlements.ts";
import type { Transaction } from "../transaction.ts";

export const PULL_STEPS: PullSteps<Transaction> = { takeDueMessages, holdMessages, settleHere };

type DueRow = Omit<DueMessage, "eventType" | "body">;

async function takeDueMessages(
  tx: Transaction,
  { destinationId, nowMs, deliveriesMax, bodyCharsMax }: HandOutDue,
): Promise<DueMessage[]> {
  const [, rows] = await Promise.all([
    tx.db.exec(READ_IN_ORDER),
    tx.db.all<DueRow>(TAKE_DUE_MESSAGES, destinationId, nowMs, deliveriesMax),
  ]);
  if (rows.length === 0) return [];
  const ids = rows.map(({ eventId }) => eventId);
  const events = await tx.db.all<EventRow>(LIST_EVENTS, ids, bodyCharsMax);
  return events.flatMap(({ place, eventType, body }) => {
    const row = rows[place];
    return row === undefined || body === null ? [] : [{ ...row, eventType, body }];
  });
}

async function holdMessages(tx: Transaction, ids: readonly string[], { token, untilMs }: HandOut): Promise<void> {
  await tx.db.run(HOLD_MESSAGES, token, untilMs, ids);
}

async function settleHere(tx: Transaction, { nowMs, settlements }: SettleAttempts): Promise<void> {
  const packed = settlements.map((settlement) => ({ ...settlement, attempt: packAttempt(settlement.attempt) }));
  // None of them is in this node's memory, so no lease is needed.
  await settleAttemptsIfClaimed(tx, [{ nowMs, settlements: packed }]).run(Promise.resolve(new Set()));
}

export async function listPulledDue(tx: Transaction, { pulled, nowMs }: ListPulledDue): Promise<readonly string[]> {
  const ids = pulled.map(({ destinationId }) => destinationId);
  return (await tx.db.all<{ id: string }>(LIST_DUE_DESTINATIONS, ids, nowMs)).map(({ id }) => id);
}

/** Exported for the test that reads its plan, like the next one. */
export const TAKE_DUE_MESSAGES = `-- name: lock due messages of destination
  select ${HELD_COLUMNS}, d.account_id as "accountId", d.claim_token as "claimToken", d.event_id as "eventId"
  from deliveries d
  where d.destination_id = $1 and d.state = 'pending' and not d.is_ended and d.due_at <= $2
  order by d.due_at, d.id
  limit $3
  for no key update skip locked`;

const HOLD_MESSAGES = `-- name: hand out messages
  update deliveries d
  set claim_token = $1, due_at = $2
  where d.id = any ($3::text[]) and d.state = 'pending' and not d.is_ended`;

/** `limit` keeps each a search of its own, where a join would read all destinations. */
export const LIST_DUE_DESTINATIONS = `-- name: list asked destinations that have something due
  select given.id
  from unnest($1::text[]) as given (id)
  cross join lateral (
    select 1
    from destinations t
    where t.id = given.id and t.state = 'on'
    limit 1
  ) asked
  cross join lateral (
    select 1
    from deliveries d
    where d.destination_id = given.id and d.state = 'pending' and not d.is_ended and d.due_at <= $2
    order by d.due_at, d.id
    limit 1
  ) due`;
