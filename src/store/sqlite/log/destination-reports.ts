/** Destinations as pages show them, on SQLite: one statement for all. */
import type {
  CountWaitingOfAccount,
  LoadDestinations,
  ReportedDestination,
  WaitingOfAccount,
} from "../../contract/destinations.ts";
import {
  listWanted,
  type QueuedRow,
  REPORT_COLUMNS,
  REPORTED_DESTINATIONS,
  type ReportRow,
  sumWaiting,
  toReport,
  toWaiting,
} from "../../sql/log/report-rows.ts";
import { listInMemory } from "./list-in-memory.ts";
import type { ReadTransaction } from "../transaction.ts";

export function loadDestinations(tx: ReadTransaction, params: LoadDestinations): ReportedDestination[] {
  const { accountId, withDeleted, waitingMax } = params;
  const wanted = listWanted(params);
  const counted = new Set(tx.db.all<{ id: string }>(LIST_WITH_DELTAS, accountId).map(({ id }) => id));
  const inMemory = Map.groupBy(listInMemory(tx, accountId), (delivery) => delivery.destinationId);
  const values = [accountId, wanted && JSON.stringify(wanted), Number(withDeleted), waitingMax + 1];
  return tx.db.all<DestinationRow>(LIST_DESTINATIONS, ...values).map(({ queued, ...row }) => {
    const waiting = toWaiting(toQueued(queued), inMemory.get(row.id));
    return toReport({ ...row, ...waiting, hasAttempts: Boolean(row.hasAttempts) || counted.has(row.id) }, params);
  });
}

export function countWaitingOfAccount(
  tx: ReadTransaction,
  { accountId, waitingMax }: CountWaitingOfAccount,
): WaitingOfAccount {
  const inMemory = Map.groupBy(listInMemory(tx, accountId), (delivery) => delivery.destinationId);
  const rows = tx.db.all<{ id: string; waiting: number }>(COUNT_WAITING, accountId, waitingMax + 1);
  const counts = rows.map(({ id, waiting }) => waiting + (inMemory.get(id)?.length ?? 0));
  return sumWaiting(counts, waitingMax);
}

interface DestinationRow extends Omit<ReportRow, keyof QueuedRow> {
  /** How many wait and, after a space, the oldest's id: a subquery has one column. */
  readonly queued: string;
}

function toQueued(queued: string): QueuedRow {
  const [waiting = "", oldestWaitingId = ""] = queued.split(" ");
  return { waiting: Number(waiting), oldestWaitingId: oldestWaitingId === "" ? null : oldestWaitingId };
}

/**
 * Exported for the test that reads its plan. A held delivery is under way already: its due time is the end of its
 * claim.
 *
 * `hasAttempts`: a failure of any age, any figure of the last month, or the oldest delivery that is kept: it is
 * attempted first. To look through all that wait could mean reading a whole backlog. Deltas are the caller's.
 */
export const LIST_DESTINATIONS = `-- name: list destinations of account with their health
  select ${REPORT_COLUMNS}, h.at as "changedAtMs", h.actor as "changedBy", h.reason as "changeReason", (
      select due_at
      from deliveries
      where destination_id = d.id and state = 'pending' and claim_token is null
      order by due_at
      limit 1
    ) as "nextDueAtMs", (
      select count(*) || ' ' || coalesce(min(id), '')
      from (
        select id from deliveries where destination_id = d.id and state = 'pending' order by due_at limit ?4
      )
    ) as queued,
    d.last_failure_at is not null or exists (select 1 from attempt_counts where destination_id = d.id) or coalesce((
      select attempts_made
      from deliveries
      where destination_id = d.id and is_test = 0
      order by created_at
      limit 1
    ), 0) > 0 as "hasAttempts"
  from ${REPORTED_DESTINATIONS}
  left join destination_changes h on h.seq = (
    select seq
    from destination_changes
    where account_id = d.account_id and destination_id = d.id
    order by at desc, seq desc
    limit 1
  )
  where d.account_id = ?1 and (?2 is null or d.id in (select value from json_each(?2)))
    and (?3 = 1 or d.deleted_at is null)
  order by d.id`;

/** Exported for the test that reads its plan. */
export const COUNT_WAITING = `-- name: count what waits for destinations of account
  select d.id, (
      select count(*)
      from (
        select id from deliveries where destination_id = d.id and state = 'pending' order by due_at limit ?2
      )
    ) as waiting
  from destinations d
  where d.account_id = ?1 and d.deleted_at is null`;

/** Whether a destination had attempts is told by its counts, rolled up or not. */
const LIST_WITH_DELTAS = `-- name: list destinations with deltas of attempts
  select distinct destination_id as id
  from attempt_deltas
  where account_id = ?`;
