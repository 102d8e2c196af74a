/**
 * Checks of a partitioned table while Citus copies it: it cannot attach the copy of a partition whose parent has
 * checks, so they are taken off before and put back afterwards. Which ones is kept in a row of the settings: a run that
 * was killed between leaves it, and the next one puts them back first.
 */
import type { Connection } from "../connection/connection.ts";
import type { MigratingSession } from "../schema/migrate.ts";
import { steppingAside } from "./stepping-aside.ts";

interface Check {
  readonly table: string;
  readonly name: string;
  /** Such as `CHECK ((due_at IS NULL))`. */
  readonly definition: string;
}

const SETTING = "distribute.checks_taken_off";

/** In one transaction with its note. */
async function takeOff(db: Connection, table: string): Promise<void> {
  const checks = await db.all<Check>(LIST_CHECKS, table);
  if (checks.length === 0) return;
  await db.run(NOTE_CHECKS, SETTING, JSON.stringify(checks));
  for (const { name } of checks) await db.exec(`alter table bellwire.${table} drop constraint ${name}`);
}

/** Rows that are there are checked without keeping others from writing. */
async function putBack(session: MigratingSession): Promise<void> {
  const noted = await session.transaction((db) => db.get<{ value: string }>(LOAD_NOTE, SETTING));
  if (noted === undefined) return;
  for (const { table, name, definition } of JSON.parse(noted.value) as Check[]) {
    const there = await session.transaction((db) => db.all<Check>(LIST_CHECKS, table));
    if (!there.some((check) => check.name === name)) {
      const add = `alter table bellwire.${table} add constraint ${name} ${definition} not valid`;
      await steppingAside(session, (db) => db.exec(add));
    }
    await session.alone(`alter table bellwire.${table} validate constraint ${name}`);
  }
  await session.transaction((db) => db.run(DELETE_NOTE, SETTING));
}

export const CHECKS = { takeOff, putBack };

const LIST_CHECKS = `-- name: list checks of table
  select $1 as "table", quote_ident(conname) as name, pg_get_constraintdef(oid) as definition
  from pg_constraint
  where conrelid = ('bellwire.' || $1)::regclass and contype = 'c'
  order by conname`;

const NOTE_CHECKS = `-- name: note checks taken off
  insert into bellwire.settings (name, value)
  values ($1, $2)
  on conflict (name) do update set value = excluded.value`;

const LOAD_NOTE = `-- name: load checks taken off
  select value
  from bellwire.settings
  where name = $1`;

const DELETE_NOTE = `-- name: forget checks taken off
  delete from bellwire.settings
  where name = $1`;
