/** Whether something has happened to an account: a few searches, whatever there is of it, because it is asked often. */
import { EVENT_TYPES } from "../../../domain/event.ts";
import type { Activity, LoadActivity } from "../../contract/log.ts";
import { writeDeltas } from "../figures/attempt-counts.ts";
import { listEvents } from "./list-events.ts";
import { loadMarks } from "../../sql/log/marks.ts";
import type { Transaction } from "../transaction.ts";

export async function loadActivity(tx: Transaction, { accountId, sinceMs }: LoadActivity): Promise<Activity> {
  writeDeltas(tx);
  const attempts = tx.db.get<{ count: number }>(COUNT_ATTEMPTS, accountId, sinceMs)?.count ?? 0;
  const newest = EVENT_TYPES.map((type) => listEvents(tx, { accountId, type, before: null, limit: 1 })[0]?.seq ?? 0);
  return { deliveries: `${attempts} ${Math.max(...newest)}`, ...(await loadMarks(tx, accountId)) };
}

const COUNT_ATTEMPTS = `-- name: count account's attempts of late
  select coalesce(sum(count), 0) as count
  from (
    select count
    from account_attempt_counts
    where account_id = ?1 and at >= ?2 and kind = 'attempt'
    union all
    select count
    from attempt_deltas
    where account_id = ?1 and at >= ?2 and kind = 'attempt'
  )`;
