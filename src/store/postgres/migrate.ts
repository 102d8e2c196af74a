/**
 * Brings a database to the version that this code needs, in one transaction: it is either old or new, never between.
 * Of nodes that start at once, one does it and the others wait. Refuses what it cannot know: a schema of another
 * program, and one that a newer Bellwire has already changed.
 */
import { StoreUnusable } from "../store.ts";
import type { Connection } from "./connection.ts";
import { MIGRATIONS, NEWEST_VERSION } from "./migrations.ts";
import { loadCalendar, makeDaysAhead } from "./partitions.ts";

/** `place` names the database in messages. Throws `StoreUnusable`, or what PostgreSQL throws. Runs in a transaction. */
export async function migrate(db: Connection, { place, nowMs }: { place: string; nowMs: number }): Promise<void> {
  await db.run(LOCK_MIGRATIONS);
  const version = await versionOf(db, place);
  if (version > NEWEST_VERSION) {
    throw new StoreUnusable(
      `${place} has schema version ${version}, this Bellwire knows up to ${NEWEST_VERSION}: ` +
        `it was used by a newer Bellwire; start that one, or use another database`,
    );
  }
  if (version === 0) await db.exec(CREATE_HISTORY);
  for (const migration of MIGRATIONS) {
    if (migration.version <= version) continue;
    await db.exec(migration.sql);
    await db.run(INSERT_MIGRATION, migration.version, migration.name, nowMs);
  }
  // Before anything is accepted: what falls into a default partition stays there.
  await makeDaysAhead(db, await loadCalendar(db));
}

/** 0 where nothing of ours is yet. */
export async function versionOf(db: Connection, place: string): Promise<number> {
  const tables = (await db.all<{ name: string }>(LIST_TABLES)).map(({ name }) => name);
  if (tables.length === 0) return 0;
  if (tables.includes("schema_migrations")) {
    return (await db.get<{ version: number | null }>(FIND_VERSION))?.version ?? 0;
  }
  throw new StoreUnusable(`${place} has a schema "bellwire" of another program; name a database without one`);
}

/** Any number that nobody else takes: "Bell" in ASCII. */
const LOCK_MIGRATIONS = `-- name: lock migrations
  select pg_advisory_xact_lock(1113943148)`;

const LIST_TABLES = `-- name: list tables of schema
  select tablename as name
  from pg_tables
  where schemaname = 'bellwire'`;

const FIND_VERSION = `-- name: find version of schema
  select max(version) as version
  from bellwire.schema_migrations`;

const CREATE_HISTORY = `
  create schema if not exists bellwire;
  create table if not exists bellwire.schema_migrations (
    version bigint primary key,
    name text not null,
    applied_at bigint not null
  )`;

const INSERT_MIGRATION = `-- name: insert migration
  insert into schema_migrations (version, name, applied_at)
  values ($1, $2, $3)`;
