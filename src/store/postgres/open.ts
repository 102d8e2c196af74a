/**
 * The store on PostgreSQL: any number of nodes on one database. Accepts and settlements go through group commits, the
 * other verbs each have a transaction of their own; what people look at and housekeeping have connections apart.
 */
import type pg from "pg";
import type { Clock } from "../../lib/clock.ts";
import { storeOver } from "../calls.ts";
import type { Store } from "../contract/store.ts";
import type { CommitInfo } from "../group-commit.ts";
import { openAccess } from "./access.ts";
import { packAttempt } from "./attempts.ts";
import { ON_CITUS } from "./citus/ready.ts";
import { loadShardGroups } from "./citus/shards.ts";
import {
  toBeginning,
  newSession,
  type ConnectionOptions,
  describeUrl,
  dropIdle,
  openPool,
  PATH_POOL,
  type PoolSize,
  SIDE_POOL,
} from "./connection/connections.ts";
import { createDatabaseClock, type DatabaseClock } from "./connection/database-clock.ts";
import { type Group, ONE_GROUP, toGroups } from "./buckets/groups.ts";
import { openHints, NO_HINTS } from "./connection/hints.ts";
import { ASK_TIME } from "./inspect.ts";
import { endLease } from "./path/leases.ts";
import { type Forms, newForms } from "./schema/forms.ts";
import { migrate } from "./schema/migrate.ts";
import { migratingSession, openMigratingSession } from "./schema/migrating-session.ts";
import {
  assertServerIsUsable,
  assertServerTakesWrites,
  loadServer,
  openingError,
  type Server,
  type Pooler,
} from "./connection/server.ts";
import type { Lane } from "./buckets/server-watch.ts";
import type { Places } from "./buckets/servers.ts";
import { openSpread, type Workers } from "./spread.ts";
import { type Database, newMemory } from "./transaction.ts";

export interface OpenPostgresStore {
  /** `postgres://…` */
  readonly url: string;
  /** The same for each session that is opened later. */
  readonly urlNow?: () => string;
  /** The pooler in front of the server; nothing unless given. */
  readonly pooler?: Pooler;
  readonly clock: Clock;
  /** Called after each commit of accepts or settlements. */
  readonly onCommit?: (info: CommitInfo) => void;
  /** For tests; what lies together otherwise: the shards of a database with Citus, and all buckets of another one. */
  readonly groups?: readonly Group[];
  /** For tests, with `groups`; where these lie otherwise: on the workers of a Citus, and on one server. */
  readonly locate?: () => Promise<Places>;
  /** For tests: a node of an older or newer version, by what it reads and writes. */
  readonly forms?: Partial<Pick<Forms, "reads" | "writes">>;
  /**
   * Called when a node has made something due that it does not hold itself: a claim may find it. Never called behind a
   * pooler, where no node can listen: there the next tick finds it.
   */
  readonly onHint?: () => void;
}

export interface PostgresStore {
  readonly store: Store;
  /** The database's, for everything on this node that the store's instants are compared with. Ends with the store. */
  readonly clock: Clock;
  /** Those that share the database; `null`: it has one server. */
  readonly workers: Workers | null;
}

/**
 * Rejects with `StoreUnusable` (no such database, no rights, too new, a server that cannot keep promises) or
 * `StoreUnavailable` (it cannot be reached now).
 */
export async function openPostgresStore(options: OpenPostgresStore): Promise<PostgresStore> {
  const { url, urlNow = () => url, pooler = "none", clock, onCommit = () => {}, onHint = null } = options;
  const databaseClock = createDatabaseClock(clock);
  const forms = newForms(options.forms);
  const found = await prepare({ url, urlNow, pooler, forcesSync: false }, databaseClock, forms);
  const isOnCitus = found.shardGroups !== null;
  const connections: ConnectionOptions = {
    url,
    urlNow,
    pooler,
    forcesSync: !found.server.syncsCommits,
    ...(isOnCitus ? { name: ON_CITUS, isOnCitus } : {}),
  };
  const lists = options.groups ?? found.shardGroups;
  const groups = lists === null ? ONE_GROUP : toGroups(lists);
  const node = newMemory(forms);
  const spread = lists === null ? null : await openSpread({ ...options, connections, groups, node });
  const servers = spread?.servers ?? null;
  const { path, side } = openDatabase(connections, { node, groups, ...(servers === null ? {} : { servers }) });
  const following = databaseClock.follow(() => askTime(side.pool));
  const send = (sql: string): void => void side.pool.query(sql).catch(() => {});
  const hints = pooler === "none" ? openHints({ connections, clock, send, onHint }) : NO_HINTS;
  const onVisits = spread?.onVisits ?? (() => {});
  const access = openAccess({ path, side, groups, servers, clock, onCommit, onVisits, hints });
  const store = storeOver({
    packAttempt,
    call: access.call,
    async close() {
      following[Symbol.dispose]();
      await access.drained();
      // Where the database is away, other nodes take it over when it has ended.
      await endLease(path).catch(() => {});
      await hints.close();
      await Promise.all([path.pool.end(), side.pool.end(), spread?.close()]);
    },
  });
  const isSpread = isOnCitus || options.locate !== undefined;
  return { store, clock: databaseClock.clock, workers: isSpread ? (spread?.workers ?? null) : null };
}

/** The same database by two ways, so that what people look at never keeps an event waiting. */
function openDatabase(
  connections: ConnectionOptions,
  shared: Pick<Database, "node" | "groups" | "servers">,
): { readonly path: Database; readonly side: Database } {
  const onReadOnly = (): void => [path, side].forEach(({ pool }) => dropIdle(pool));
  const open = (size: PoolSize, lane: Lane): Database => ({
    pool: openPool(connections, size),
    beginning: toBeginning(connections, size),
    lane,
    onReadOnly,
    ...shared,
  });
  const path = open(PATH_POOL, "path");
  const side = open(SIDE_POOL, "side");
  return { path, side };
}

interface Found {
  readonly server: Server;
  readonly shardGroups: readonly Group[] | null;
}

/** Looks at the server and its clock, and migrates, on a connection that is closed afterwards. */
async function prepare(
  connections: ConnectionOptions,
  { clock, measure }: DatabaseClock,
  { writes }: Forms,
): Promise<Found> {
  const place = describeUrl(connections.url);
  const client = newSession(connections, { pipeline: true });
  // The running query reports connection errors.
  client.on("error", () => {});
  try {
    await client.connect();
    const session = migratingSession(client, connections);
    const server = await session.transaction(() => loadServer(client));
    assertServerIsUsable(server, place, connections.pooler);
    assertServerTakesWrites(server, place);
    await measure(() => askTime(client));
    const openKeeper = () => openMigratingSession(connections);
    await migrate({ session, openKeeper }, { place, nowMs: clock.nowMs(), writes });
    return { server, shardGroups: await session.transaction(loadShardGroups) };
  } catch (error) {
    throw openingError(place, error);
  } finally {
    await client.end();
  }
}

async function askTime(asked: Pick<pg.Client, "query"> | pg.Pool): Promise<number> {
  const { rows } = await asked.query<{ nowMs: number }>(ASK_TIME);
  return rows[0]?.nowMs ?? Number.NaN;
}
