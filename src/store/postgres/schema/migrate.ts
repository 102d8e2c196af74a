/**
 * Brings a database to the version that this code needs. Steps run in one transaction, up to one that cannot: an index
 * that is made while traffic goes on. So a database is either old or new, or at such an index, which the next start
 * takes up again.
 *
 * When nodes start at once, one migrates and the others wait. They ask again and again instead of waiting for the
 * lock: a statement that waits keeps its snapshot, and the index would wait for that.
 *
 * While nodes of the version before are running, a change of a table waits for its lock only for a moment, then steps
 * aside and tries again: everybody who wants the table meanwhile queues up behind it.
 */
import { StoreUnusable } from "../../contract/store.ts";
import type { Connection } from "../connection/connection.ts";
import { HOME_SCHEMA } from "../connection/connections.ts";
import {
  describeNewer,
  explainOther,
  FIND_BUILD,
  LIST_STEPS,
  NOTE_BUILD,
  type StepThere,
} from "../../sql/schema-history.ts";
import { isLockedOut } from "../failures.ts";
import { holdForms, isOlderNodeRunning, loadReadBy, raiseReadBy } from "./forms.ts";
import { type Migration, MIGRATIONS, NEWEST_FORM } from "./migrations.ts";
import { loadCalendar, makeDaysAhead } from "./partitions.ts";

/** A session of its own, for transactions one after the other, and for what must stand outside of them. */
export interface MigratingSession {
  /** Commits what `work` did. */
  transaction<Value>(work: (db: Connection) => Promise<Value>): Promise<Value>;
  /** One statement that is its own transaction. */
  alone(sql: string): Promise<void>;
}

export interface Sessions {
  readonly session: MigratingSession;
  /** A second one, which keeps the lock while the first one is in no transaction. */
  openKeeper(): Promise<MigratingSession & AsyncDisposable>;
}

export interface Migrate {
  /** Names the database in messages. */
  readonly place: string;
  readonly nowMs: number;
  /** Of the shard. */
  readonly schema?: string;
  /** False: a shard beside the home shard. */
  readonly isHome?: boolean;
  readonly migrations?: readonly Migration[];
  /** The newest form that the node would write. */
  readonly writes?: number;
}

/** Throws `StoreUnusable`, or what PostgreSQL throws. */
export async function migrate(sessions: Sessions, options: Migrate): Promise<void> {
  const { place, nowMs, schema = HOME_SCHEMA, isHome = true, migrations = MIGRATIONS, writes = NEWEST_FORM } = options;
  const { session } = sessions;
  for (let lockedOut = 0; ;) {
    const next = await nextStep(session, { place, nowMs, schema, isHome, migrations, writes });
    if (next === null) return;
    if (next === "locked out" && (lockedOut += 1) === LOCKED_OUT_MAX) throw tooLongLocked(place);
    if (next === "busy" || next === "locked out") {
      await session.alone(ASK_AGAIN_AFTER[next]);
      continue;
    }
    await migrateOnline(sessions, next, { place, nowMs });
    lockedOut = 0;
  }
}

type NextStep = OnlineMigration | "busy" | "locked out" | null;

async function nextStep(session: MigratingSession, options: Required<Migrate>): Promise<NextStep> {
  try {
    return await session.transaction(async (db) => ((await isOurs(db)) ? await migrateToOnline(db, options) : "busy"));
  } catch (error) {
    if (isLockedOut(error)) return "locked out";
    throw error;
  }
}

const tooLongLocked = (place: string): StoreUnusable =>
  new StoreUnusable(
    `${place} cannot be brought to this Bellwire's schema: something has kept a table locked for the last minute. ` +
      "End long transactions (pg_stat_activity, oldest xact_start first), then start again; it goes on where it is",
  );

/** Unless another node has begun it meanwhile. */
async function migrateOnline(
  { session, openKeeper }: Sessions,
  step: OnlineMigration,
  { place, nowMs }: { place: string; nowMs: number },
): Promise<void> {
  await using keeper = await openKeeper();
  await keeper.transaction(async (db) => {
    if (!(await isOurs(db)) || (await loadVersion(db, place)) >= step.version) return;
    await db.exec(LET_GO);
    await session.alone(endUnfinished(step));
    await session.alone(dropUnfinished(step.online));
    await session.alone(step.sql);
    await session.transaction((other) => note(other, step, nowMs));
  });
}

type OnlineMigration = Migration & { readonly online: string };

const isOnline = (migration: Migration): migration is OnlineMigration => migration.online !== null;

/** Up to the next step that stands alone; `null`: there is none. Makes tables for days when all is done. */
async function migrateToOnline(
  db: Connection,
  { place, nowMs, schema, isHome, migrations, writes }: Required<Migrate>,
): Promise<OnlineMigration | null> {
  const version = await loadVersion(db, place);
  await assertIsReadable(db, version, { place, newest: migrations.length });
  await db.exec(version === 0 ? createHistory(schema) : STEP_ASIDE);
  for (const migration of migrations.slice(version)) {
    if (isOnline(migration)) return migration;
    await assertNoneIsOlder(db, migration, { place, nowMs });
    if (isHome || !migration.isOfHome) await db.exec(migration.sql);
    await note(db, migration, nowMs);
  }
  // Before anything is accepted: what falls into a default partition stays there.
  await makeDaysAhead(db, await loadCalendar(db));
  await raiseReadBy(db, { writes });
  return null;
}

async function assertIsReadable(
  db: Connection,
  version: number,
  { place, newest }: { place: string; newest: number },
): Promise<void> {
  if (version <= newest) return;
  const readBy = await loadReadBy(db);
  if (readBy <= newest) return;
  const build = (await db.get<{ value: string }>(FIND_BUILD))?.value ?? null;
  throw new StoreUnusable(
    `${place} has schema version ${version} and rows for version ${readBy} or newer, this Bellwire knows up to ` +
      `${newest}: ${describeNewer(build)}; start that one, restore a backup from before, or use another database`,
  );
}

/** There is no lease before the first step. */
async function assertNoneIsOlder(
  db: Connection,
  { version, readBy }: Migration,
  { place, nowMs }: { place: string; nowMs: number },
): Promise<void> {
  if (version === 1 || readBy < version) return;
  await holdForms(db);
  if (!(await isOlderNodeRunning(db, readBy, nowMs))) return;
  throw new StoreUnusable(
    `${place} is used by nodes of an older Bellwire, which cannot work with schema version ${version}: ` +
      "stop all of them, wait 15 s where one was killed, then start this one; nothing was changed",
  );
}

/** 0 where nothing of ours is yet. Throws `StoreUnusable` for a schema of another program, or of no release. */
export async function loadVersion(db: Connection, place: string): Promise<number> {
  const tables = (await db.all<{ name: string }>(LIST_TABLES)).map(({ name }) => name);
  if (tables.length === 0) return 0;
  if (tables.includes("schema_migrations")) {
    const steps = await db.all<StepThere>(LIST_STEPS);
    const version = steps.at(-1)?.version ?? 0;
    const other = explainOther(steps, MIGRATIONS);
    if (other !== null) throw new StoreUnusable(`${place} has schema version ${version}, and ${other}`);
    return version;
  }
  throw new StoreUnusable(`${place} has a schema of this name that is another program's; name a database without one`);
}

async function note(db: Connection, { version, name, readBy }: Migration, nowMs: number): Promise<void> {
  await db.run(INSERT_MIGRATION, version, name, nowMs, readBy);
  await db.run(NOTE_BUILD);
}

async function isOurs(db: Connection): Promise<boolean> {
  return (await db.get<{ isOurs: boolean }>(TRY_LOCK_MIGRATIONS))?.isOurs === true;
}

/**
 * The server goes on making an index after its node has died, and waits for the statement that would drop it, which
 * waits for it. Whoever has the lock of migrations knows that the node has.
 */
const endUnfinished = ({ sql }: Migration): string => `-- name: end index of a dead node
  select pg_cancel_backend(pid)
  from pg_stat_activity
  where datname = current_database() and usename = current_user and pid <> pg_backend_pid()
    and query = '${sql.replaceAll("'", "''")}'`;

/** The rest of an index whose node died while it made it. The index is known by a name of ours. */
const dropUnfinished = (index: string): string => `drop index concurrently if exists ${index}`;

/** A session that asks by the extended protocol keeps its last answer open, and the snapshot of it. */
const LET_GO = `-- name: let go of snapshot
  select 1`;

const ASK_AGAIN_AFTER = {
  busy: `-- name: wait for another node's migration
    select pg_sleep(0.05)`,
  "locked out": `-- name: let others pass before a migration
    select pg_sleep(0.8)`,
} as const;

/** How long the nodes that run may have to wait behind a change of a table. */
const STEP_ASIDE = "set local lock_timeout = '200ms'";

/** A minute of trying. */
const LOCKED_OUT_MAX = 60;

/** Any number of our own ("Bell" in ASCII), and the schema: shards of one database do not wait for each other. */
const TRY_LOCK_MIGRATIONS = `-- name: try lock of migrations
  select pg_try_advisory_xact_lock(1113943148, hashtext(current_setting('search_path'))) as "isOurs"`;

const LIST_TABLES = `-- name: list tables of schema
  select tablename as name
  from pg_tables
  where schemaname = current_setting('search_path')
  order by tablename = 'schema_migrations' desc
  limit 1`;

/** Citus places a schema when its tables are there (`../shards/citus.ts`): it takes no step of several statements. */
export const createHistory = (schema: string): string => `
  set local citus.enable_schema_based_sharding = off;
  create schema if not exists ${schema};
  create table if not exists schema_migrations (
    version bigint primary key,
    name text not null,
    applied_at bigint not null,
    -- The oldest schema whose nodes work with this one; null: no older one.
    read_by bigint
  )`;

const INSERT_MIGRATION = `-- name: insert migration
  insert into schema_migrations (version, name, applied_at, read_by)
  values ($1, $2, $3, $4)`;
