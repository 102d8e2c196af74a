/** Rows of deliveries that wait: accepted without being held, given back, tried and due again, or taken over. */
import { bucketOf } from "../../../lib/bucket.ts";
import { holdDueBounds, lowerDueBounds, noteDue } from "./destination-now.ts";
import { givenRows } from "./given-rows.ts";
import type { Transaction } from "../transaction.ts";

export interface PendingRow {
  readonly id: string;
  readonly eventId: string;
  readonly accountId: string;
  readonly destinationId: string;
  readonly acceptedAtMs: number;
  readonly dueAtMs: number;
  readonly claimToken: string | null;
  readonly attemptsMade?: number;
  readonly attemptsBefore?: number;
  readonly last?: { readonly outcome: string; readonly status: number | null; readonly totalMs: number };
}

/** Inserts them and makes their destinations' bounds cover them. */
export async function insertPending(tx: Transaction, rows: readonly PendingRow[]): Promise<void> {
  if (rows.length === 0) return;
  const dueTimes = new Map<string, number>();
  for (const { destinationId, dueAtMs } of rows) noteDue(dueTimes, destinationId, dueAtMs);
  await holdDueBounds(tx, dueTimes.keys());
  await lowerDueBounds(tx, dueTimes);
  await insertPendingRows(tx, rows);
}

/** The caller sees to the bounds. */
export async function insertPendingRows(tx: Transaction, rows: readonly PendingRow[]): Promise<void> {
  if (rows.length === 0) return;
  await tx.db.run(INSERT_PENDING, ...GIVEN.toValues(rows.map(toColumns)));
}

const toColumns = ({ attemptsMade = 0, attemptsBefore = 0, last, ...row }: PendingRow) => ({
  bucket: bucketOf(row.accountId),
  id: row.id,
  event_id: row.eventId,
  account_id: row.accountId,
  destination_id: row.destinationId,
  due_at: row.dueAtMs,
  claim_token: row.claimToken,
  created_at: row.acceptedAtMs,
  attempts_made: attemptsMade,
  attempts_before: attemptsBefore,
  last_outcome: last?.outcome,
  last_status: last?.status,
  last_ms: last?.totalMs,
});

const GIVEN = givenRows({
  bucket: "integer",
  id: "text",
  event_id: "text",
  account_id: "text",
  destination_id: "text",
  due_at: "bigint",
  claim_token: "text",
  created_at: "bigint",
  attempts_made: "integer",
  attempts_before: "integer",
  last_outcome: "text",
  last_status: "integer",
  last_ms: "double precision",
});

const INSERT_PENDING = `-- name: insert pending deliveries
  insert into deliveries (
    bucket, id, event_id, account_id, destination_id, state, is_ended, due_at, claim_token, created_at,
    attempts_made, attempts_before, last_outcome, last_status, last_ms
  )
  select bucket, id, event_id, account_id, destination_id, 'pending', false, due_at, claim_token, created_at,
    attempts_made, attempts_before, last_outcome, last_status, last_ms
  from (select ${GIVEN.columns}) as given`;
