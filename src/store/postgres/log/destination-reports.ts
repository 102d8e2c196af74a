/** Destinations as pages show them, on PostgreSQL: one statement for all. */
import type {
  CountWaitingOfAccount,
  LoadDestinations,
  ReportedDestination,
  WaitingOfAccount,
} from "../../contract/destinations.ts";
import {
  listWanted,
  REPORT_COLUMNS,
  REPORTED_DESTINATIONS,
  type ReportRow,
  sumWaiting,
  toReport,
  toWaiting,
} from "../../sql/log/report-rows.ts";
import { DELTA_COUNTS } from "../figures/attempt-deltas.ts";
import { listInMemory, listLeases } from "../path/in-memory.ts";
import type { Transaction } from "../transaction.ts";

export async function loadDestinations(tx: Transaction, params: LoadDestinations): Promise<ReportedDestination[]> {
  const { accountId, withDeleted, waitingMax } = params;
  const list = () =>
    tx.db.all<ReportRow>(LIST_DESTINATIONS, accountId, listWanted(params), withDeleted, waitingMax + 1);
  const { rows, held } = await readWithHeld(tx, accountId, list);
  return rows.map((row) => toReport({ ...row, ...toWaiting(row, held.get(row.id)) }, params));
}

/** With what nodes hold in memory, by destination. */
async function readWithHeld<Row>(tx: Transaction, accountId: string, list: () => Promise<Row[]>) {
  const leases = await listLeases(tx);
  const [inMemory, rows] = await Promise.all([listInMemory(tx, { leases, accountId }), list()]);
  return { rows, held: Map.groupBy(inMemory, (delivery) => delivery.destinationId) };
}

export async function countWaitingOfAccount(
  tx: Transaction,
  { accountId, waitingMax }: CountWaitingOfAccount,
): Promise<WaitingOfAccount> {
  const list = () => tx.db.all<{ id: string; waiting: number }>(COUNT_WAITING, accountId, waitingMax + 1);
  const { rows, held } = await readWithHeld(tx, accountId, list);
  const counts = rows.map(({ id, waiting }) => waiting + (held.get(id)?.length ?? 0));
  return sumWaiting(counts, waitingMax);
}

/** Columns of what waits for destination `d`, counted up to a parameter. */
const queuedUpTo = (parameter: string): string => `(
    select count(1) as waiting, min(id) as "oldestWaitingId"
    from (
      select w.id
      from deliveries w
      where d.next_due_at is not null and w.destination_id = d.id and w.state = 'pending' and not w.is_ended
      order by w.due_at, w.id
      limit ${parameter}
    ) pending
  )`;

/**
 * Exported for the test that reads its plan. A held delivery is under way already: its due time is the end of its
 * claim. Deliveries without a row are not here: the caller adds them.
 *
 * Only a destination with a due bound is looked for in the queue: where few destinations have most of it, the planner
 * expects as much of each other one, and would read the whole queue for each that has nothing.
 *
 * `hasAttempts`: any figure of the last month, a failure of any age, or the mark that the last figure left. It does not
 * ask whether there `exists` a figure, nor count without an order: the planner would expect to meet one soon, and read
 * the whole table where there is none.
 */
export const LIST_DESTINATIONS = `-- name: list destinations of account with their health
  select ${REPORT_COLUMNS}, change.at as "changedAtMs", change.actor as "changedBy",
    change.reason as "changeReason", (
      select w.due_at
      from deliveries w
      where w.destination_id = d.id and w.state = 'pending' and not w.is_ended and w.claim_token is null
      order by w.due_at
      limit 1
    ) as "nextDueAtMs", queued.waiting, queued."oldestWaitingId",
    d.last_failure_at is not null or d.was_attempted or (
      select at
      from attempt_counts c
      where c.destination_id = d.id
      order by at
      limit 1
    ) is not null or d.id in (select t.destination_id from ${DELTA_COUNTS}) as "hasAttempts"
  from ${REPORTED_DESTINATIONS}
  left join lateral (
    select at, actor, reason
    from destination_changes h
    where h.account_id = d.account_id and h.destination_id = d.id
    order by at desc, seq desc
    limit 1
  ) change on true
  cross join lateral ${queuedUpTo("$4")} queued
  where d.account_id = $1 and ($2::text[] is null or d.id = any ($2::text[])) and ($3 or d.deleted_at is null)
  order by d.id`;

/** Exported for the test that reads its plan. */
export const COUNT_WAITING = `-- name: count what waits for destinations of account
  select d.id, queued.waiting
  from destinations d
  cross join lateral ${queuedUpTo("$2")} queued
  where d.account_id = $1 and d.deleted_at is null`;
