/** Whether something has happened to an account: a few searches, whatever there is of it, because it is asked often. */
import { EVENT_TYPES } from "../../../domain/event.ts";
import type { Activity, LoadActivity } from "../../contract/log.ts";
import { sumBins } from "../figures/counters.ts";
import { listUnwritten } from "../figures/unwritten-counts.ts";
import { listEvents } from "./list-events.ts";
import { loadMarks } from "../../sql/log/marks.ts";
import type { Transaction } from "../transaction.ts";

export async function loadActivity(tx: Transaction, { accountId, sinceMs }: LoadActivity): Promise<Activity> {
  const unwritten = listUnwritten(tx, { accountId, kind: "attempt", fromMs: sinceMs });
  const written = tx.db.get<{ count: number }>(COUNT_ATTEMPTS, accountId, sinceMs)?.count ?? 0;
  const attempts = unwritten.reduce((sum, addition) => sum + sumBins(addition), written);
  const newest = EVENT_TYPES.map((type) => listEvents(tx, { accountId, type, before: null, limit: 1 })[0]?.seq ?? 0);
  return { deliveries: `${attempts} ${Math.max(...newest)}`, ...(await loadMarks(tx, accountId)) };
}

const COUNT_ATTEMPTS = `-- name: count account's attempts of late
  select coalesce(sum(count), 0) as count
  from account_attempt_counts
  where account_id = ? and at >= ? and kind = 'attempt'`;
