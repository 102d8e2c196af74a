/** Whether something has happened to an account: a few searches, whatever there is of it, because it is asked often. */
import { firstIdAt } from "../../../domain/id.ts";
import { daysMs } from "../../../lib/duration.ts";
import type { Activity, LoadActivity } from "../../contract/log.ts";
import { loadFingerprints } from "../../sql/log/fingerprints.ts";
import { DELTA_COUNTS } from "../figures/attempt-deltas.ts";
import type { Transaction } from "../transaction.ts";

export async function loadActivity(tx: Transaction, { accountId, sinceMs }: LoadActivity): Promise<Activity> {
  const today = firstIdAt("evt", sinceMs - (sinceMs % daysMs(1)));
  const [attempts, newest, fingerprints] = await Promise.all([
    tx.db.get<{ count: number }>(COUNT_ATTEMPTS, accountId, sinceMs),
    tx.db.get<{ seq: number | null }>(FIND_NEWEST_EVENT, accountId, today),
    loadFingerprints(tx, accountId),
  ]);
  return { deliveries: `${attempts?.count ?? 0} ${newest?.seq ?? 0}`, ...fingerprints };
}

/** Exported for the test that reads its plan, like the next ones. */
export const COUNT_ATTEMPTS = `-- name: count account's attempts of late
  select coalesce(sum(count), 0)::bigint as count
  from (
    select count
    from account_attempt_counts c
    where account_id = $1 and at >= $2 and kind = 'attempt'
    union all
    select count
    from ${DELTA_COUNTS}
    where at >= $2 and kind = 'attempt'
  ) counted`;

/**
 * Steps from one type and assistant to the next in the index and takes the last event of each, of today alone: ids
 * begin with their instant, and nothing older is new.
 */
export const FIND_NEWEST_EVENT = `-- name: find account's newest event of today
  with recursive assistants (type, id) as (
    (
      select e.type, e.assistant_id
      from events e
      where e.account_id = $1 and e.source_id is not null and e.id >= $2
      order by e.type, e.assistant_id
      limit 1
    )
    union all
    select next.type, next.assistant_id
    from assistants a
    cross join lateral (
      select e.type, e.assistant_id
      from events e
      where e.account_id = $1 and (e.type, e.assistant_id) > (a.type, a.id) and e.source_id is not null and e.id >= $2
      order by e.type, e.assistant_id
      limit 1
    ) next
  )
  select max(newest.seq) as seq
  from assistants a
  cross join lateral (
    select e.seq
    from events e
    where e.account_id = $1 and e.type = a.type and e.assistant_id = a.id and e.source_id is not null and e.id >= $2
    order by e.seq desc
    limit 1
  ) newest`;
