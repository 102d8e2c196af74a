/**
 * Brings a database to the version that this code needs, in one transaction: it is either old or new, never between.
 * Refuses what it cannot know: a database of another program, and one that another build has already changed.
 */
import { StoreUnusable } from "../../contract/store.ts";
import {
  describeNewer,
  explainOther,
  FIND_BUILD,
  LIST_STEPS,
  NOTE_BUILD,
  type StepThere,
} from "../../sql/schema-history.ts";
import type { Connection } from "../connection/connection.ts";
import { type Migration, MIGRATIONS } from "./migrations.ts";
import { commitAtOnce } from "../commit.ts";
import type { Transaction } from "../transaction.ts";

/** "Bell" in ASCII, in the file's header: how a database says that it is ours. */
const APPLICATION_ID = 0x42656c6c;

export const isOurs = (applicationId: unknown): boolean => applicationId === APPLICATION_ID;

interface Migrate {
  readonly place: string;
  readonly nowMs: number;
  readonly migrations?: readonly Migration[];
}

/** `place` names the database in messages. Throws `StoreUnusable`, or what SQLite throws. */
export function migrate(db: Connection, { place, nowMs, migrations = MIGRATIONS }: Migrate): void {
  refuseForeign(db, place);
  const { version, refusal } = judgeHistory((sql) => db.all(sql), migrations);
  if (refusal !== null) throw new StoreUnusable(`${place} ${refusal}`);
  const missing = migrations.filter((migration) => migration.version > version);
  if (missing.length > 0) commitAtOnce(db, (tx) => apply(tx, missing, nowMs));
}

function refuseForeign(db: Connection, place: string): void {
  const id = db.get<{ application_id: number }>("pragma application_id")?.application_id;
  const tables = db.get<{ count: number }>(COUNT_TABLES)?.count ?? 0;
  if (id === APPLICATION_ID || (id === 0 && tables === 0)) return;
  throw new StoreUnusable(`${place} is an SQLite database of another program; name a file that is ours or new`);
}

interface History {
  /** 0 where nothing of ours is yet. */
  readonly version: number;
  /** Behind the database's name: why this build cannot use it. */
  readonly refusal: string | null;
}

export function judgeHistory(all: <Row>(sql: string) => Row[], known: readonly Migration[] = MIGRATIONS): History {
  const steps = all(FIND_HISTORY).length === 0 ? [] : all<StepThere>(LIST_STEPS);
  const version = steps.at(-1)?.version ?? 0;
  const has = `has schema version ${version}`;
  const other = explainOther(steps, known);
  if (other !== null) return { version, refusal: `${has}, and ${other}` };
  const newest = known.at(-1)?.version ?? 0;
  if (version <= newest) return { version, refusal: null };
  const [{ value } = { value: null }] = all<{ value: string | null }>(FIND_BUILD);
  const who = `${describeNewer(value)}; start that one, or use another database`;
  return { version, refusal: `${has}, this Bellwire knows up to ${newest}: ${who}` };
}

function apply({ db }: Transaction, missing: readonly Migration[], nowMs: number): void {
  db.exec(`pragma application_id = ${APPLICATION_ID}`);
  db.exec(CREATE_HISTORY);
  for (const migration of missing) {
    db.exec(migration.sql);
    db.run(INSERT_MIGRATION, migration.version, migration.name, nowMs);
  }
  db.run(NOTE_BUILD);
}

const COUNT_TABLES = `-- name: count tables
  select count(*) as count
  from sqlite_schema`;

const FIND_HISTORY = `-- name: find history of migrations
  select 1
  from sqlite_schema
  where name = 'schema_migrations'`;

const CREATE_HISTORY = `-- name: create history of migrations
  create table if not exists schema_migrations (
    version integer primary key,
    name text not null,
    applied_at integer not null
  ) strict`;

const INSERT_MIGRATION = `-- name: insert migration
  insert into schema_migrations (version, name, applied_at)
  values (?, ?, ?)`;
