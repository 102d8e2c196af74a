/**
 * One shard: a schema on a server, with the whole of the store for the accounts that are in it. Accepts and settlements
 * go through group commits, the other verbs each have a transaction of their own; what people look at and housekeeping
 * have connections apart, so that they never keep an event waiting.
 */
import type pg from "pg";
import type { EventTypes } from "../../events/event-types.ts";
import type { Clock } from "../../lib/clock.ts";
import type { CommitInfo } from "../group-commit.ts";
import { type Access, openAccess } from "./access.ts";
import type { Connection } from "./connection/connection.ts";
import {
  CITUS_POOL,
  type ConnectionOptions,
  describeUrl,
  dropIdle,
  HOME_SCHEMA,
  newSession,
  openPool,
  PATH_POOL,
  PROBE_POOL,
  type PoolSize,
  SIDE_POOL,
  toBeginning,
} from "./connection/connections.ts";
import { NO_HINTS, openHints } from "./connection/hints.ts";
import {
  assertServerIsUsable,
  assertServerTakesWrites,
  loadServer,
  type Server,
  openingError,
  type Pooler,
} from "./connection/server.ts";
import { endLease } from "./path/leases.ts";
import type { Forms } from "./schema/forms.ts";
import { migrate } from "./schema/migrate.ts";
import { migratingSession, openMigratingSession } from "./schema/migrating-session.ts";
import { ASK_TIME } from "./inspect.ts";
import { type FollowSchema, followSchema } from "./shards/citus.ts";
import { keepHome } from "./shards/home-mark.ts";
import { assertIsHome } from "./shards/mark.ts";
import { type Database, newMemory } from "./transaction.ts";

export interface OpenShard {
  /** `postgres://…` */
  readonly url: string;
  /** The same for each session that is opened later. */
  readonly urlNow: () => string;
  readonly schema?: string;
  readonly isHome: boolean;
  /** The home shard is to be held until it is adopted. */
  readonly holds?: boolean;
  /** Throws `StoreUnusable` for a shard of another home, before anything is changed there. */
  readonly admit?: (db: Connection) => Promise<void>;
  /** Opens the shard without making or changing a table: its schema has this version already. */
  readonly onlyLooks?: boolean;
  readonly pooler: Pooler;
  readonly clock: Clock;
  readonly types: EventTypes;
  readonly forms: Forms;
  readonly onCommit: (info: CommitInfo) => void;
  /** Called when a node has made something due; `null`: nobody listens. */
  readonly onHint: (() => void) | null;
  /** Compares the server's clock with ours. */
  readonly measure: (askTime: () => Promise<number>) => Promise<void>;
}

export interface OpenedShard {
  readonly connections: ConnectionOptions;
  readonly path: Database;
  readonly side: Database;
  readonly call: Access["call"];
  askTime(): Promise<number>;
  /** Whether its server is there, on a connection of its own. Rejects as PostgreSQL does, after 2 s at the latest. */
  probe(): Promise<void>;
  /** Finishes what was called, then closes. */
  close(): Promise<void>;
}

/** Brings its schema to this version. Rejects with `StoreUnusable` or `StoreUnavailable`. */
export async function openShard(options: OpenShard): Promise<OpenedShard> {
  const { url, urlNow, schema = HOME_SCHEMA, isHome, pooler, clock, onCommit, onHint } = options;
  const place = { url, urlNow, schema, pooler };
  const { syncsCommits, hasLz4 } = await prepareShard({ ...place, forcesSync: false }, options);
  const connections: ConnectionOptions = { ...place, forcesSync: !syncsCommits, packsByLz4: hasLz4 };
  const { path, side, openAt } = openDatabase(connections, options);
  const followed = isHome || pooler !== "none" ? null : await followSchema({ side, schema, clock, openAt });
  const send = (sql: string): void => void side.pool.query(sql).catch(() => {});
  const hints = pooler === "none" ? openHints({ connections, clock, send, onHint }) : NO_HINTS;
  const commits = followed?.database ?? (() => path);
  const access = openAccess({ path, side, commits, clock, onCommit, hints });
  const probing = openPool(connections, PROBE_POOL);
  return {
    connections,
    path,
    side,
    call: access.call,
    askTime: () => askTime(side.pool),
    async probe() {
      await probing.query(PROBE);
      await followed?.look();
    },
    async close() {
      await access.drained();
      // Where the database is away, other nodes take it over when it has ended.
      await endLease(path).catch(() => {});
      await hints.close();
      await followed?.close();
      await Promise.all([path.pool.end(), side.pool.end(), probing.end()]);
    },
  };
}

interface Pools {
  readonly path: Database;
  readonly side: Database;
  /** The path's by another address, for a Citus. */
  readonly openAt: FollowSchema["openAt"];
}

/** The same database by several ways. */
function openDatabase(connections: ConnectionOptions, { forms, types }: Pick<OpenShard, "forms" | "types">): Pools {
  const node = newMemory(forms, types);
  const onReadOnly = (): void => [path, side].forEach(({ pool }) => dropIdle(pool));
  const open = (size: PoolSize, at = connections): Database => ({
    pool: openPool(at, size),
    beginning: toBeginning(at, size),
    node,
    onReadOnly,
  });
  const path = open(PATH_POOL);
  const side = open(SIDE_POOL);
  const { url, urlNow = () => url } = connections;
  return {
    path,
    side,
    openAt: (toUrl) => open(CITUS_POOL, { ...connections, url: toUrl(url), urlNow: () => toUrl(urlNow()) }),
  };
}

export type PrepareShard = Pick<OpenShard, "clock" | "isHome" | "holds" | "admit" | "onlyLooks" | "measure" | "forms">;

/**
 * Looks at the server and its clock, and migrates, on a connection that is closed afterwards. Returns what it has seen
 * of the server.
 */
export async function prepareShard(
  connections: ConnectionOptions & { readonly schema: string },
  { clock, isHome, holds = false, admit, onlyLooks = false, measure, forms }: PrepareShard,
): Promise<Server> {
  const { url, schema, pooler } = connections;
  const place = describeUrl(url);
  const client = newSession(connections, { pipeline: true });
  // The running query reports connection errors.
  client.on("error", () => {});
  try {
    await client.connect();
    const session = migratingSession(client, connections);
    const server = await session.transaction(() => loadServer(client, schema));
    assertServerIsUsable(server, place, pooler);
    assertServerTakesWrites(server, place);
    if (admit !== undefined) await session.transaction(admit);
    await measure(() => askTime(client));
    const openKeeper = () => openMigratingSession(connections);
    const migration = { place, schema, isHome, nowMs: clock.nowMs(), writes: forms.writes };
    if (!onlyLooks) await migrate({ session, openKeeper }, migration);
    if (isHome) await session.transaction((db) => assertIsHome(db, place));
    if (isHome && !onlyLooks) await session.transaction((db) => keepHome(db, holds));
    return server;
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

const PROBE = `-- name: probe shard
  select 1 as one`;
