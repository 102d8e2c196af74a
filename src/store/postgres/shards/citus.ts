/**
 * A shard on a Citus: a schema that Citus keeps on one of its workers as a whole, and moves. Every server of a Citus
 * answers for it, but the address of the shard, which is its coordinator, would pass each statement on. So accepts and
 * settlements go to the worker itself; what locks names and changes tables stays with the one address.
 *
 * Where the schema is, is asked again and again: after `citus_schema_move` the worker that had it passes statements on
 * until then.
 */
import type { CancelTimer, Clock } from "../../../lib/clock.ts";
import { secondsMs } from "../../../lib/duration.ts";
import type { Connection } from "../connection/connection.ts";
import { type Database, read } from "../transaction.ts";

/** Lets Citus choose a worker for the schema, where it has not yet. */
export async function placeOnWorker(db: Connection, schema: string): Promise<void> {
  if (!(await isCitus(db))) return;
  if ((await db.get(FIND_PLACED, schema)) === undefined) await db.run(PLACE_SCHEMA, schema);
}

interface Worker {
  readonly host: string;
  readonly port: number;
}

/** Guess. */
const FOLLOWED_EVERY_MS = secondsMs(15);

export interface FollowSchema {
  /** By the shard's address. */
  readonly side: Database;
  readonly schema: string;
  readonly clock: Clock;
  /** The same database by another address. */
  readonly openAt: (toUrl: (address: string) => string) => Database;
}

export interface FollowedSchema {
  /** At the worker that has the schema. */
  database(): Database;
  /** Asks now. Rejects as PostgreSQL does. */
  look(): Promise<void>;
  close(): Promise<void>;
}

/** `null`: the schema is on no worker. Rejects as PostgreSQL does. */
export async function followSchema({ side, schema, clock, openAt }: FollowSchema): Promise<FollowedSchema | null> {
  const find = (): Promise<Worker | null> => read(side, "nothing", ({ db }) => findWorker(db, schema));
  const first = await find();
  if (first === null) return null;
  const open = (worker: Worker) => ({ worker, database: openAt((address) => atWorker(address, worker)) });
  let opened = open(first);
  let cancel: CancelTimer = () => {};
  let isClosed = false;

  async function look(): Promise<void> {
    const worker = await find();
    if (isClosed || worker === null || atWorker(PLAIN, worker) === atWorker(PLAIN, opened.worker)) return;
    const before = opened;
    opened = open(worker);
    await before.database.pool.end();
  }

  function lookLater(): void {
    // Where it cannot be asked, the worker that is known stays.
    if (!isClosed) cancel = clock.after(FOLLOWED_EVERY_MS, () => void look().then(lookLater, lookLater));
  }

  lookLater();
  return {
    database: () => opened.database,
    look,
    async close() {
      isClosed = true;
      cancel();
      await opened.database.pool.end();
    },
  };
}

const PLAIN = "postgres://citus";

function atWorker(address: string, { host, port }: Worker): string {
  const url = new URL(address);
  url.searchParams.delete("host");
  url.searchParams.delete("port");
  url.hostname = host;
  url.port = String(port);
  return url.href;
}

/**
 * Each worker numbers events from a start of its own, which lies higher the later Citus got to know it. So that numbers
 * of a shard only grow, its events do not go back to an earlier one.
 */
async function findWorker(db: Connection, schema: string): Promise<Worker | null> {
  if (!(await isCitus(db))) return null;
  const newest = await db.get<{ groupId: number | null }>(FIND_NEWEST_GROUP);
  return (await db.get<Worker>(FIND_WORKER, schema, newest?.groupId ?? 0)) ?? null;
}

const isCitus = async (db: Connection): Promise<boolean> => (await db.get(FIND_CITUS)) !== undefined;

const FIND_CITUS = `-- name: find Citus
  select 1
  from pg_extension
  where extname = 'citus'`;

const FIND_PLACED = `-- name: find schema that Citus has placed
  select 1
  from pg_dist_schema
  where schemaid = to_regnamespace($1)`;

const PLACE_SCHEMA = `-- name: let Citus place schema
  select citus_schema_distribute(to_regnamespace($1))`;

/** Among the newest are some that were numbered elsewhere, because their account has moved here. */
const FIND_NEWEST_GROUP = `-- name: find who numbered newest event
  select max(seq) >> 48 as "groupId"
  from (select seq from events order by id desc limit 1000) newest`;

const FIND_WORKER = `-- name: find worker of schema
  select n.nodename as host, n.nodeport as port
  from pg_dist_schema s
  join pg_dist_partition t on t.colocationid = s.colocationid
  join pg_dist_shard h on h.logicalrelid = t.logicalrelid
  join pg_dist_placement p on p.shardid = h.shardid
  join pg_dist_node n on n.groupid = p.groupid or n.groupid = $2
  where s.schemaid = to_regnamespace($1) and n.noderole = 'primary'
  order by n.groupid desc
  limit 1`;
