/** Whether something has happened to an account: a few searches, whatever there is of it, because it is asked often. */
import { firstIdAt } from "../../domain/id.ts";
import { daysMs } from "../../lib/duration.ts";
import type { Activity, LoadActivity } from "../contract/log.ts";
import type { Transaction } from "./transaction.ts";

/** As many as people look at. */
const REPLAYS_MAX = 100;

export async function loadActivity(tx: Transaction, { accountId, sinceMs }: LoadActivity): Promise<Activity> {
  const today = firstIdAt("evt", sinceMs - (sinceMs % daysMs(1)));
  const [attempts, newest, configuration, destinations, replays] = await Promise.all([
    tx.db.get<{ count: number }>(COUNT_ATTEMPTS, accountId, sinceMs),
    tx.db.get<{ seq: number | null }>(FIND_NEWEST_EVENT, accountId, today),
    tx.db.get<{ version: number | null; audit: number | null }>(FIND_CONFIGURATION, accountId),
    tx.db.all<MarkRow>(LIST_DESTINATION_MARKS, accountId),
    tx.db.all<MarkRow>(LIST_REPLAY_MARKS, accountId, REPLAYS_MAX),
  ]);
  return {
    deliveries: `${attempts?.count ?? 0} ${newest?.seq ?? 0}`,
    configuration: `${configuration?.version ?? 0} ${configuration?.audit ?? 0}`,
    destinations: byId(destinations),
    replays: byId(replays),
  };
}

interface MarkRow {
  readonly id: string;
  readonly mark: string;
}

const byId = (rows: readonly MarkRow[]): Record<string, string> =>
  Object.fromEntries(rows.map(({ id, mark }) => [id, mark]));

/** Exported for the test that reads its plan, like the next ones. */
export const COUNT_ATTEMPTS = `-- name: count account's attempts of late
  select coalesce(sum(count), 0)::bigint as count
  from account_attempt_counts
  where account_id = $1 and at >= $2 and kind = 'attempt'`;

/**
 * Steps from one assistant to the next in the index and takes the last event of each, of today alone: ids begin with
 * their instant, and nothing older is new.
 */
export const FIND_NEWEST_EVENT = `-- name: find account's newest event of today
  with recursive assistants (type, id) as (
    select type, ''::text collate "C"
    from unnest(array['demo_viewed', 'chat_conversation_completed']) as family (type)
    union all
    select a.type, (
      select min(e.assistant_id)
      from events e
      where e.account_id = $1 and e.type = a.type and e.assistant_id > a.id and e.source_id is not null and e.id >= $2
    )
    from assistants a
    where a.id is not null
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

const FIND_CONFIGURATION = `-- name: find marks of configuration
  select config_version as version, (select max(seq) from audit_entries where account_id = $1) as audit
  from accounts
  where id = $1`;

const LIST_DESTINATION_MARKS = `-- name: list marks of destinations
  select id, concat_ws(' ', state, off_reason, trips, strain, failing_since_at, last_failure_at, deleted_at) as mark
  from destinations
  where account_id = $1`;

const LIST_REPLAY_MARKS = `-- name: list marks of replays
  select id, concat_ws(' ', state, moved, skipped) as mark
  from replays
  where account_id = $1
  order by id desc
  limit $2`;
