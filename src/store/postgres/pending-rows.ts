/** Rows of deliveries that wait: accepted without being held, given back, tried and due again, or taken over. */
import { bucketOf } from "../../lib/bucket.ts";
import { holdDueBounds, lowerDueBounds, noteDue } from "./destination-now.ts";
import type { Transaction } from "./transaction.ts";

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
  await tx.db.run(
    INSERT_PENDING,
    rows.map(({ id }) => id),
    rows.map(({ eventId }) => eventId),
    rows.map(({ accountId }) => accountId),
    rows.map(({ destinationId }) => destinationId),
    rows.map(({ dueAtMs }) => dueAtMs),
    rows.map(({ claimToken }) => claimToken),
    rows.map(({ acceptedAtMs }) => acceptedAtMs),
    rows.map(({ attemptsMade }) => attemptsMade ?? 0),
    rows.map(({ attemptsBefore }) => attemptsBefore ?? 0),
    rows.map(({ last }) => last?.outcome ?? null),
    rows.map(({ last }) => last?.status ?? null),
    rows.map(({ last }) => last?.totalMs ?? null),
    rows.map(({ accountId }) => bucketOf(accountId)),
  );
}

const INSERT_PENDING = `-- name: insert pending deliveries
  insert into deliveries (
    bucket, id, event_id, account_id, destination_id, state, is_ended, due_at, claim_token, created_at,
      attempts_made, attempts_before,
    last_outcome, last_status, last_ms
  )
  select bucket, id, event_id, account_id, destination_id, 'pending', false, due_at, claim_token, created_at, made,
    before,
    outcome, status, ms
  from unnest(
    $1::text[], $2::text[], $3::text[], $4::text[], $5::bigint[], $6::text[], $7::bigint[], $8::integer[],
    $9::integer[], $10::text[], $11::integer[], $12::double precision[], $13::integer[]
  ) as given (
    id, event_id, account_id, destination_id, due_at, claim_token, created_at, made, before, outcome, status, ms,
    bucket
  )`;
