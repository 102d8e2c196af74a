/** What PostgreSQL counts of its own work: rows, those that vacuum must remove, statements' commits, bytes of log. */
import { setTimeout as sleep } from "node:timers/promises";
import type { Cluster } from "../../test/kit/servers/postgres.ts";

export interface RowCounts {
  readonly written: number;
  /** Old versions of changed rows, and deleted ones. */
  readonly dead: number;
  readonly commits: number;
  readonly logBytes: number;
}

export const NO_ROWS: RowCounts = { written: 0, dead: 0, commits: 0, logBytes: 0 };

/** Sessions report what they did when they fall idle, at most once a second. */
const REPORTED_MS = 1_200;

export async function readRows(cluster: Cluster, database: string): Promise<RowCounts> {
  await sleep(REPORTED_MS);
  const [counts] = await cluster.query(database, READ);
  return counts as unknown as RowCounts;
}

/** For each webhook. */
export function computeDifference(after: RowCounts, before: RowCounts, webhooks: number): RowCounts {
  return {
    written: (after.written - before.written) / webhooks,
    dead: (after.dead - before.dead) / webhooks,
    commits: (after.commits - before.commits) / webhooks,
    logBytes: (after.logBytes - before.logBytes) / webhooks,
  };
}

const READ = `
  select sum(n_tup_ins + n_tup_upd + n_tup_del)::float as written, sum(n_tup_upd + n_tup_del)::float as dead,
    (select xact_commit::float from pg_stat_database where datname = current_database()) as commits,
    pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::float as "logBytes"
  from pg_stat_user_tables
  where schemaname = 'bellwire'`;
