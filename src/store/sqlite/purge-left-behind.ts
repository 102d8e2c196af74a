/**
 * The part of retention that is not the log's: sessions and links that have run out, news that nobody needs any more,
 * replays that nobody confirmed, secrets whose time has come, and at last owners that were deleted.
 *
 * Invariant: a deleted alert or destination stays for as long as the log names it.
 */
import { daysMs } from "../../lib/duration.ts";
import type { Purge } from "../contract/log.ts";
import { cancelForgottenReplays } from "../sql/replays.ts";
import { switchDueSecrets } from "../sql/secrets.ts";
import { purgeMail } from "../sql/mail-links.ts";
import { deleteExpiredLinks } from "../sql/sign-in-links.ts";
import type { Transaction } from "./transaction.ts";

/** News is sent within minutes or, where nothing is set up to send it, never. */
const NOTICE_MS_MAX = daysMs(2);

/** Changes at most `rowsMax` rows and returns how many. */
export async function purgeLeftBehind(
  tx: Transaction,
  { nowMs, rowsBeforeMs }: Purge,
  rowsMax: number,
): Promise<number> {
  let left = rowsMax;
  left -= await cancelForgottenReplays(tx, { nowMs, limit: left });
  left -= await switchDueSecrets(tx, { nowMs, limit: left });
  left -= tx.db.run(DELETE_SESSIONS, nowMs, left);
  left -= await deleteExpiredLinks(tx, { nowMs, limit: left });
  left -= tx.db.run(DELETE_OLD_NEWS, nowMs - NOTICE_MS_MAX, left);
  left -= await purgeMail(tx, { nowMs, limit: left });
  left -= tx.db.run(DELETE_OLD_OPERATOR_NOTICES, left, nowMs - NOTICE_MS_MAX);
  left -= tx.db.run(FORGET_CONDITIONS, nowMs - NOTICE_MS_MAX, left);
  left -= tx.db.run(FORGET_DESTINATIONS, rowsBeforeMs, left);
  left -= tx.db.run(FORGET_ALERTS, rowsBeforeMs, left);
  return rowsMax - left;
}

/** Exported for the test that reads its plan, like the next ones. */
export const DELETE_SESSIONS = `-- name: delete sessions that have expired
  delete from sessions
  where token_hash in (select token_hash from sessions where expires_at < ? order by expires_at limit ?)`;

export const DELETE_OLD_NEWS = `-- name: delete news that is none any more
  delete from failure_news
  where (address_id, destination_id) in (
    select address_id, destination_id from failure_news where at < ? order by at limit ?
  )`;

/** Looks at the oldest rows only: they stand in the order in which they were written. */
const DELETE_OLD_OPERATOR_NOTICES = `-- name: delete operator notices that are no news any more
  delete from operator_notices
  where seq in (select seq from operator_notices order by seq limit ?) and at < ?`;

/** As many rows as there are destinations in trouble, and those of the last two days. */
const FORGET_CONDITIONS = `-- name: forget conditions that have ended
  delete from operator_conditions
  where subject in (select subject from operator_conditions where is_raised = 0 and raised_at < ? limit ?)`;

export const FORGET_DESTINATIONS = `-- name: forget deleted destinations that nothing names
  delete from destinations
  where rowid in (
    select rowid from destinations t
    where deleted_at < ? and not exists (select 1 from deliveries where destination_id = t.id and is_test = 0)
    order by deleted_at
    limit ?
  )`;

export const FORGET_ALERTS = `-- name: forget deleted alerts that nothing names
  delete from alerts
  where (account_id, id) in (
    select account_id, id from alerts a
    where deleted_at < ? and not exists (select 1 from destinations where id = a.destination_id)
    order by deleted_at
    limit ?
  )`;
