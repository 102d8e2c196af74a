/**
 * The part of retention that is not the log's: sessions and links that have run out, news that is none any more,
 * replays that no owner confirmed, secrets whose time has come.
 */
import { daysMs } from "../../../lib/duration.ts";
import { purgeMail } from "../news/mail-links.ts";
import { cancelForgottenReplays } from "../replays/replays.ts";
import { switchDueSecrets } from "../set-up/secrets.ts";
import { deleteExpiredLinks } from "../people/sign-in-links.ts";
import type { SqlTransaction } from "../transaction.ts";

/** News is sent within minutes or, where nothing is set up to send it, never. */
const NOTICE_MS_MAX = daysMs(2);

/** Changes at most `limit` rows and returns how many. */
export async function tidyLeftBehind(
  tx: SqlTransaction,
  { nowMs, limit }: { readonly nowMs: number; readonly limit: number },
): Promise<number> {
  let left = limit;
  left -= await cancelForgottenReplays(tx, { nowMs, limit: left });
  left -= await switchDueSecrets(tx, { nowMs, limit: left });
  left -= await tx.db.run(DELETE_SESSIONS, nowMs, left);
  left -= await deleteExpiredLinks(tx, { nowMs, limit: left });
  left -= await tx.db.run(DELETE_OLD_NEWS, nowMs - NOTICE_MS_MAX, left);
  left -= await purgeMail(tx, { nowMs, limit: left });
  left -= await tx.db.run(DELETE_OLD_OPERATOR_NOTICES, left, nowMs - NOTICE_MS_MAX);
  left -= await tx.db.run(FORGET_CONDITIONS, nowMs - NOTICE_MS_MAX, left);
  return limit - left;
}

/** Exported for the test that reads its plan, like the next one. */
export const DELETE_SESSIONS = `-- name: delete sessions that have expired
  with expired as materialized (
    select token_hash
    from sessions
    where expires_at < $1 and bucket = any ($buckets)
    order by expires_at
    limit $2
  )
  delete from sessions
  where token_hash in (select token_hash from expired) and bucket = any ($buckets)`;

export const DELETE_OLD_NEWS = `-- name: delete news that is none any more
  with old as materialized (
    select address_id, destination_id
    from failure_news
    where at < $1 and bucket = any ($buckets)
    order by at
    limit $2
    for update skip locked
  )
  delete from failure_news
  where (address_id, destination_id) in (select address_id, destination_id from old) and bucket = any ($buckets)`;

/** Looks at the oldest rows only: they stand in the order in which they were written. */
const DELETE_OLD_OPERATOR_NOTICES = `-- name: delete operator notices that are no news any more
  with oldest as materialized (
    select seq
    from operator_notices
    order by seq
    limit $1
  )
  delete from operator_notices
  where seq in (select seq from oldest) and at < $2`;

/** As many rows as there are destinations in trouble, and those of the last two days. */
const FORGET_CONDITIONS = `-- name: forget conditions that have ended
  with ended as materialized (
    select subject
    from operator_conditions
    where not is_raised and raised_at < $1
    limit $2
  )
  delete from operator_conditions
  where subject in (select subject from ended) and not is_raised`;
