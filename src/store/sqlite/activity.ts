/** Whether something has happened to an account: a few searches, whatever there is of it, because it is asked often. */
import type { Activity, LoadActivity } from "../contract/log.ts";
import { flushCounts } from "./attempt-counts.ts";
import { listEvents } from "./list-events.ts";
import type { Transaction } from "./transaction.ts";

/** As many as people look at. */
const REPLAYS_MAX = 100;

export function loadActivity(tx: Transaction, { accountId, sinceMs }: LoadActivity): Activity {
  // Other calls of the same transaction may have counted already.
  flushCounts(tx);
  const attempts = tx.db.get<{ count: number }>(COUNT_ATTEMPTS, accountId, sinceMs)?.count ?? 0;
  const newest = (["demo_viewed", "chat_conversation_completed"] as const).map(
    (type) => listEvents(tx, { accountId, type, before: null, limit: 1 })[0]?.seq ?? 0,
  );
  const configuration = tx.db.get<{ version: number; audit: number | null }>(FIND_CONFIGURATION, accountId, accountId);
  return {
    deliveries: `${attempts} ${Math.max(...newest)}`,
    configuration: `${configuration?.version ?? 0} ${configuration?.audit ?? 0}`,
    destinations: byId(tx.db.all<MarkRow>(LIST_DESTINATION_MARKS, accountId)),
    replays: byId(tx.db.all<MarkRow>(LIST_REPLAY_MARKS, accountId, REPLAYS_MAX)),
  };
}

interface MarkRow {
  readonly id: string;
  readonly mark: string;
}

const byId = (rows: readonly MarkRow[]): Record<string, string> =>
  Object.fromEntries(rows.map(({ id, mark }) => [id, mark]));

const COUNT_ATTEMPTS = `-- name: count account's attempts of late
  select coalesce(sum(count), 0) as count
  from account_attempt_counts
  where account_id = ? and at >= ? and kind = 'attempt'`;

const FIND_CONFIGURATION = `-- name: find marks of configuration
  select config_version as version, (select max(seq) from audit_entries where account_id = ?) as audit
  from accounts
  where id = ?`;

const LIST_DESTINATION_MARKS = `-- name: list marks of destinations
  select id, concat_ws(' ', state, off_reason, trips, strain, failing_since_at, last_failure_at, deleted_at) as mark
  from destinations
  where account_id = ?`;

const LIST_REPLAY_MARKS = `-- name: list marks of replays
  select id, concat_ws(' ', state, moved, skipped) as mark
  from replays
  where account_id = ?
  order by id desc
  limit ?`;
