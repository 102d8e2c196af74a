/**
 * Rows of destinations that are asked (`domain/pull.ts`), and what a claim that has run out says of a delivery. Such a
 * destination's turn never comes in the walk of claims: `served_at` lies at the end of time.
 */
import { NEVER_SERVED_MS, readHandedOutAt } from "../../../domain/pull.ts";
import { type HandedMessage, type PulledDestination, settleMessage } from "../../contract/pull.ts";
import type { Settlement } from "../../contract/path.ts";
import type { SqlTransaction } from "../transaction.ts";

/** `endsAtMs` is of the first time alone. */
export async function notePull(
  tx: SqlTransaction,
  { accountId, destinationId, endsAtMs }: PulledDestination & { readonly endsAtMs: number | null },
): Promise<void> {
  await tx.db.run(INSERT_PULL, destinationId, accountId, endsAtMs);
  await tx.db.run(SET_SERVED, NEVER_SERVED_MS, destinationId);
}

/** Its destination has a URL now, or is deleted. */
export async function forgetPull(tx: SqlTransaction, destinationId: string): Promise<void> {
  if ((await tx.db.run(DELETE_PULL, destinationId)) > 0) await tx.db.run(SET_SERVED, 0, destinationId);
}

/** The columns of `HeldMessage`, of a delivery `d`. */
export const HELD_COLUMNS = `d.id as "deliveryId", d.attempts_made as "attemptsMade",
    d.attempts_made - d.attempts_before as "attemptsInSchedule",
    coalesce(d.resent_at, d.created_at) as "pendingSinceMs"`;

/** A delivery that is due, and the claim that it was held under. */
export interface DueMessage extends HandedMessage {
  readonly accountId: string;
  readonly claimToken: string | null;
}

/** Those that a program was handed and has not acknowledged in time. */
export const listRunOut = (rows: readonly DueMessage[], nowMs: number): Settlement[] =>
  rows.flatMap((row) => {
    const { claimToken } = row;
    const handedOutAtMs = claimToken === null ? null : readHandedOutAt(claimToken);
    if (claimToken === null || handedOutAtMs === null) return [];
    const outcome = { kind: "not_acknowledged", message: "The claim ran out." } as const;
    return [settleMessage(row, { accountId: row.accountId, claimToken, handedOutAtMs, nowMs, outcome })];
  });

const INSERT_PULL = `-- name: note that destination is asked
  insert into pulls (destination_id, account_id, ends_at)
  values ($1, $2, $3)
  on conflict do nothing`;

const DELETE_PULL = `-- name: forget that destination was asked
  delete from pulls
  where destination_id = $1`;

const SET_SERVED = `-- name: set when destination's turn comes
  update destinations
  set served_at = $1
  where id = $2`;
