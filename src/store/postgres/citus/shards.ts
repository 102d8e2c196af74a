/**
 * Where accounts lie on a database with Citus. An account's bucket decides its shard by Citus's own hash, which never
 * changes, also when a shard moves: so groups of buckets are the same before tables are distributed, meanwhile and
 * afterwards, and a node that runs all the time has the right ones.
 */
import type { Connection } from "../connection/connection.ts";
import type { Group, Groups } from "../buckets/groups.ts";
import type { Places } from "../buckets/servers.ts";

/** As many as Citus has by default. Fewer are made of whole ones of these. */
export const SHARDS_MAX = 32;

/** `null`: the database has no Citus, so that all buckets lie together. */
export async function loadShardGroups(db: Connection): Promise<readonly Group[] | null> {
  if ((await loadCitusVersion(db)) === null) return null;
  const isDistributed = (await db.get(FIND_DISTRIBUTED_ACCOUNTS)) !== undefined;
  const rows = await db.all<{ buckets: number[] }>(isDistributed ? GROUP_BY_SHARD : GROUP_BY_HASH);
  return rows.map(({ buckets }) => buckets);
}

/** Such as "13.2-1"; `null`: there is none in this database. */
export async function loadCitusVersion(db: Connection): Promise<string | null> {
  return (await db.get<{ version: string }>(FIND_CITUS))?.version ?? null;
}

export interface Shard {
  /** The buckets of its accounts. */
  readonly buckets: readonly number[];
  /** Such as `db-2:5432`. */
  readonly worker: string;
}

/** Empty while nothing is distributed. */
export const listShards = (db: Connection): Promise<Shard[]> => db.all<Shard>(LIST_SHARDS);

export interface Worker {
  /** Such as `db-2:5432`. */
  readonly name: string;
  readonly takesShards: boolean;
}

export const listWorkers = (db: Connection): Promise<Worker[]> => db.all<Worker>(LIST_WORKERS);

/** The names of the workers by the first buckets of their groups. Until it is distributed all is on the coordinator. */
export async function locateGroups(db: Connection, { all }: Groups): Promise<Places> {
  const shards = await listShards(db);
  const workers = new Map(shards.flatMap(({ buckets, worker }) => buckets.map((bucket) => [bucket, worker] as const)));
  return new Map(all.map(([first = 0]) => [first, workers.get(first) ?? "coordinator"]));
}

const FIND_CITUS = `-- name: find citus
  select extversion as version
  from pg_extension
  where extname = 'citus'`;

const FIND_DISTRIBUTED_ACCOUNTS = `-- name: find distributed accounts
  select 1
  from pg_dist_partition
  where logicalrelid = to_regclass('bellwire.accounts') and partmethod = 'h'`;

/** A shard has a range of hashes. Those that no bucket falls into are no group. */
const GROUP_BY_SHARD = `-- name: group buckets by shard
  select array_agg(b.bucket order by b.bucket) as buckets
  from generate_series(0, 255) as b (bucket)
  join pg_dist_shard s on s.logicalrelid = 'bellwire.accounts'::regclass
    and worker_hash(b.bucket) between cast(s.shardminvalue as integer) and cast(s.shardmaxvalue as integer)
  group by s.shardid
  order by s.shardid`;

/** As Citus divides the hashes among ${SHARDS_MAX} shards. */
const GROUP_BY_HASH = `-- name: group buckets by hash
  select array_agg(b.bucket order by b.bucket) as buckets
  from generate_series(0, 255) as b (bucket)
  group by (worker_hash(b.bucket)::bigint + 2147483648) / 134217728
  order by min(b.bucket)`;

const LIST_SHARDS = `-- name: list shards
  select n.nodename || ':' || n.nodeport as worker, array_agg(b.bucket order by b.bucket) as buckets
  from generate_series(0, 255) as b (bucket)
  join pg_dist_shard s on s.logicalrelid = to_regclass('bellwire.accounts')
    and worker_hash(b.bucket) between cast(s.shardminvalue as integer) and cast(s.shardmaxvalue as integer)
  join pg_dist_placement p on p.shardid = s.shardid
  join pg_dist_node n on n.groupid = p.groupid and n.noderole = 'primary'
  group by n.nodename, n.nodeport, s.shardid
  order by n.nodename, n.nodeport, s.shardid`;

const LIST_WORKERS = `-- name: list workers
  select nodename || ':' || nodeport as name, shouldhaveshards as "takesShards"
  from pg_dist_node
  where isactive and noderole = 'primary' and groupid <> 0
  order by nodename, nodeport`;
