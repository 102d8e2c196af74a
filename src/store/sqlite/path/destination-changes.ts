/** How a change of a destination is written. */
import { type ChangeOfDestination, findCondition, isSame } from "../../../domain/destination-now.ts";
import { bumpNow } from "./config-version.ts";
import { destinationNow } from "./destination-now.ts";
import type { Transaction } from "../transaction.ts";

/** Writes what differs, and a row of history when that is more than a number. */
export function changeDestination(tx: Transaction, id: string, change: ChangeOfDestination): void {
  const { after, reason, actor, nowMs } = change;
  const before = destinationNow(tx, id);
  if (isSame(before, after)) return;
  const { failingSinceMs, failureScore, consecutiveOpens, notBeforeMs } = after.health;
  const { atMs = null, outcome = null, status = null } = after.lastFailure ?? {};
  const health = [failingSinceMs, failureScore, consecutiveOpens, notBeforeMs, atMs, outcome, status] as const;
  tx.db.run(CHANGE, after.state, after.offReason, ...health, after.notifiedAtMs, Number(after.isNotified), id);
  tx.destinations.set(id, after);
  if (after.state !== before.state) bumpNow(tx, after.accountId);
  const [from, to] = [findCondition(before), findCondition(after)];
  if (from !== to) tx.db.run(INSERT_CHANGE, after.accountId, id, nowMs, from, to, reason, actor);
}

const CHANGE = `-- name: change state and health of destination
  update destinations
  set state = ?, off_reason = ?, failing_since_at = ?, failure_score = ?, consecutive_opens = ?, not_before_at = ?,
    last_failure_at = ?, last_failure_outcome = ?, last_failure_status = ?, notified_at = ?, is_notified = ?
  where id = ?`;

const INSERT_CHANGE = `-- name: insert change of destination
  insert into destination_changes (account_id, destination_id, at, from_state, to_state, reason, actor)
  values (?, ?, ?, ?, ?, ?, ?)`;
