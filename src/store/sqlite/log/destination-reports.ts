/** Destinations as pages show them, on SQLite: some small searches for each. */
import type { LoadDestinations, ReportedDestination } from "../../contract/destinations.ts";
import { writeDeltas } from "../figures/attempt-counts.ts";
import {
  listWanted,
  type QueuedRow,
  REPORT_COLUMNS,
  REPORTED_DESTINATIONS,
  type ReportRow,
  toReport,
  toWaiting,
} from "../../sql/log/report-rows.ts";
import type { Transaction } from "../transaction.ts";

export function loadDestinations(tx: Transaction, params: LoadDestinations): ReportedDestination[] {
  const { accountId, withDeleted, waitingMax } = params;
  const wanted = listWanted(params);
  writeDeltas(tx);
  const counted = new Set(tx.db.all<{ id: string }>(LIST_WITH_DELTAS, accountId).map(({ id }) => id));
  const inMemory = Map.groupBy(tx.inMemory.all(), (delivery) => delivery.destinationId);
  const rows = tx.db.all<DestinationRow>(
    LIST_DESTINATIONS,
    accountId,
    wanted && JSON.stringify(wanted),
    Number(withDeleted),
  );
  return rows.map((row) => {
    const { id } = row;
    const change = tx.db.get<ChangeRow>(FIND_LAST_CHANGE, accountId, id);
    const queued = tx.db.get<QueuedRow>(COUNT_WAITING, id, waitingMax + 1) ?? NOTHING_QUEUED;
    const waiting = toWaiting(queued, inMemory.get(id));
    const nextDueAtMs = tx.db.get<{ dueAtMs: number }>(FIND_NEXT_DUE, id)?.dueAtMs ?? null;
    const hasAttempts = counted.has(id) || tx.db.get(FIND_ANY_ATTEMPT, id) !== undefined;
    return toReport({ ...row, ...(change ?? NO_CHANGE), ...waiting, nextDueAtMs, hasAttempts }, params);
  });
}

type ChangeRow = Pick<ReportRow, "changedAtMs" | "changedBy" | "changeReason">;

type DestinationRow = Omit<ReportRow, keyof ChangeRow | keyof QueuedRow | "nextDueAtMs" | "hasAttempts">;

const NOTHING_QUEUED: QueuedRow = { waiting: 0, oldestWaitingId: null };

const NO_CHANGE: ChangeRow = { changedAtMs: null, changedBy: null, changeReason: null };

/** Exported for the test that reads its plan, like the next ones. */
export const LIST_DESTINATIONS = `-- name: list destinations of account with their owners
  select ${REPORT_COLUMNS}
  from ${REPORTED_DESTINATIONS}
  where d.account_id = ?1 and (?2 is null or d.id in (select value from json_each(?2)))
    and (?3 = 1 or d.deleted_at is null)
  order by d.id`;

export const FIND_LAST_CHANGE = `-- name: find last change of destination
  select at as "changedAtMs", actor as "changedBy", reason as "changeReason"
  from destination_changes
  where account_id = ? and destination_id = ?
  order by at desc, seq desc
  limit 1`;

/** A held delivery is under way already: its due time is the end of its claim. */
export const FIND_NEXT_DUE = `-- name: find next due time of destination
  select due_at as "dueAtMs"
  from deliveries
  where destination_id = ? and state = 'pending' and claim_token is null
  order by due_at
  limit 1`;

export const COUNT_WAITING = `-- name: count waiting deliveries of destination up to a limit
  select count(*) as waiting, min(id) as "oldestWaitingId"
  from (
    select id from deliveries where destination_id = ? and state = 'pending' order by due_at limit ?
  )`;

/** Whether a destination had attempts is told by its counts, rolled up or not. */
const LIST_WITH_DELTAS = `-- name: list destinations with deltas of attempts
  select distinct destination_id as id
  from attempt_deltas
  where account_id = ?`;

/**
 * Any figure of the last month, a failure of any age, or the oldest delivery that is kept: it is attempted first. To
 * look through all that wait could mean reading a whole backlog.
 */
export const FIND_ANY_ATTEMPT = `-- name: find any attempt of destination
  select 1 where exists (select 1 from attempt_counts where destination_id = ?1)
    or exists (select 1 from destinations where id = ?1 and last_failure_at is not null)
    or (
      select attempts_made from deliveries where destination_id = ?1 and is_test = 0 order by created_at limit 1
    ) > 0`;
