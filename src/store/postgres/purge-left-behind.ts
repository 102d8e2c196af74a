/**
 * The part of retention that is not the log's: sessions and links that have run out, news that nobody needs any more,
 * replays that nobody confirmed, secrets whose time has come, and at last owners that were deleted.
 *
 * Invariant: a deleted alert or destination stays for as long as the log names it.
 */
import { daysMs } from "../../lib/duration.ts";
import type { Purge } from "../contract/log.ts";
import { idsBetween, isIn, orUndated, placeholdersOf, SLACK_MS } from "./days.ts";
import { purgeRefusedRecords } from "./refused-records.ts";
import { cancelForgottenReplays } from "../sql/replays.ts";
import { switchDueSecrets } from "../sql/secrets.ts";
import { purgeMail } from "../sql/mail-links.ts";
import { deleteExpiredLinks } from "../sql/sign-in-links.ts";
import type { Transaction } from "./transaction.ts";

/** News is sent within minutes or, where nothing is set up to send it, never. */
const NOTICE_MS_MAX = daysMs(2);

/** Changes at most `rowsMax` rows and returns how many. */
export async function purgeLeftBehind(tx: Transaction, params: Purge, rowsMax: number): Promise<number> {
  const { nowMs, rowsBeforeMs } = params;
  let left = rowsMax;
  left -= await cancelForgottenReplays(tx, { nowMs, limit: left });
  left -= await switchDueSecrets(tx, { nowMs, limit: left });
  left -= await tx.db.run(DELETE_SESSIONS, nowMs, left);
  left -= await deleteExpiredLinks(tx, { nowMs, limit: left });
  left -= await purgeRefusedRecords(tx, params, left);
  left -= await tx.db.run(DELETE_OLD_NEWS, nowMs - NOTICE_MS_MAX, left);
  left -= await purgeMail(tx, { nowMs, limit: left });
  left -= await tx.db.run(DELETE_OLD_OPERATOR_NOTICES, left, nowMs - NOTICE_MS_MAX);
  left -= await tx.db.run(FORGET_CONDITIONS, nowMs - NOTICE_MS_MAX, left);
  left -= await forgetDestinations(tx, { nowMs, beforeMs: rowsBeforeMs, rowsMax: left });
  left -= await tx.db.run(FORGET_ALERTS, rowsBeforeMs, left);
  return rowsMax - left;
}

/**
 * All of its deliveries are older than its deletion; those that are still there lie in days that could not be dropped.
 */
async function forgetDestinations(
  tx: Transaction,
  { nowMs, beforeMs, rowsMax }: { nowMs: number; beforeMs: number; rowsMax: number },
): Promise<number> {
  const deleted = (await tx.db.all<{ id: string }>(LIST_DELETED_LONG_AGO, beforeMs, rowsMax)).map(({ id }) => id);
  if (deleted.length === 0) return 0;
  const ids = orUndated("dlv", idsBetween("dlv", 0, beforeMs + SLACK_MS), nowMs);
  return await tx.db.run(FORGET_DESTINATIONS, deleted, ...placeholdersOf(ids));
}

/** Exported for the test that reads its plan, like the next ones. */
export const DELETE_SESSIONS = `-- name: delete sessions that have expired
  with expired as materialized (
    select token_hash
    from sessions
    where expires_at < $1
    order by expires_at
    limit $2
  )
  delete from sessions s
  using expired
  where s.token_hash = expired.token_hash`;

const DELETE_OLD_NEWS = `-- name: delete news that is none any more
  with old as materialized (
    select address_id, destination_id
    from failure_news
    where at < $1
    order by at
    limit $2
    for update skip locked
  )
  delete from failure_news n
  using old
  where n.address_id = old.address_id and n.destination_id = old.destination_id`;

/** Looks at the oldest rows only: they stand in the order in which they were written. */
const DELETE_OLD_OPERATOR_NOTICES = `-- name: delete operator notices that are no news any more
  with oldest as materialized (
    select seq
    from operator_notices
    order by seq
    limit $1
  )
  delete from operator_notices n
  using oldest
  where n.seq = oldest.seq and n.at < $2`;

/** As many rows as there are destinations in trouble, and those of the last two days. */
const FORGET_CONDITIONS = `-- name: forget conditions that have ended
  with ended as materialized (
    select subject
    from operator_conditions
    where not is_raised and raised_at < $1
    limit $2
  )
  delete from operator_conditions c
  using ended
  where c.subject = ended.subject and not c.is_raised`;

const LIST_DELETED_LONG_AGO = `-- name: list destinations deleted long ago
  select id
  from destinations
  where deleted_at < $1
  order by deleted_at
  limit $2`;

export const FORGET_DESTINATIONS = `-- name: forget deleted destinations that nothing names
  delete from destinations t
  where t.id = any ($1::text[]) and not exists (
    select 1
    from deliveries d
    where d.destination_id = t.id and not d.is_test and ${isIn("d.id", 2)}
  )`;

export const FORGET_ALERTS = `-- name: forget deleted alerts that nothing names
  with nameless as materialized (
    select a.account_id, a.id
    from alerts a
    where a.deleted_at < $1 and not exists (select 1 from destinations where id = a.destination_id)
    order by a.deleted_at
    limit $2
  )
  delete from alerts a
  using nameless
  where a.account_id = nameless.account_id and a.id = nameless.id`;
