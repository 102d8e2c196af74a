import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { StoreUnusable } from "../../contract/store.ts";
import { type Connection, openConnection } from "../connection/connection.ts";
import { migrate } from "./migrate.ts";
import { type Migration, MIGRATIONS } from "./migrations.ts";

const STEP: Migration = {
  version: MIGRATIONS.length + 1,
  name: "colour",
  sql: "alter table accounts add column colour text not null default 'blue'; create table extras (id integer) strict",
};

function open(t: TestContext): Connection {
  const db = openConnection(":memory:");
  t.after(() => db.close());
  return db;
}

const versions = (db: Connection) =>
  db.all<{ version: number; name: string }>("select version, name from schema_migrations").map((row) => ({ ...row }));

test("a database of an older version keeps what it holds and gets the steps that it lacks", (t) => {
  const db = open(t);
  migrate(db, { place: "here", nowMs: 10 });
  db.exec("insert into accounts values ('acc_1', 'Acme', 'free', 'https://app.example', 7, 1, 1)");
  migrate(db, { place: "here", nowMs: 11, migrations: [...MIGRATIONS, STEP] });
  assert.deepEqual(
    { ...db.get<object>("select config_version, colour from accounts") },
    { config_version: 7, colour: "blue" },
  );
  assert.deepEqual(versions(db).at(-1), { version: STEP.version, name: "colour" });
});

test("steps that fail leave the database as it was", (t) => {
  const db = open(t);
  migrate(db, { place: "here", nowMs: 10 });
  const broken = { ...STEP, version: STEP.version + 1, sql: "create table extras (id integer) strict" };
  assert.throws(() => migrate(db, { place: "here", nowMs: 11, migrations: [...MIGRATIONS, STEP, broken] }), /extras/);
  db.run("rollback");
  assert.equal(versions(db).length, MIGRATIONS.length);
  assert.equal(db.get("select 1 from sqlite_schema where name = 'extras'"), undefined);
});

test("a database of a newer version is refused", (t) => {
  const db = open(t);
  migrate(db, { place: "here", nowMs: 10, migrations: [...MIGRATIONS, STEP] });
  const known = `has schema version ${STEP.version}, this Bellwire knows up to ${MIGRATIONS.length}`;
  assert.throws(
    () => migrate(db, { place: "here", nowMs: 11 }),
    (error) => error instanceof StoreUnusable && error.message.includes(known),
  );
});

test("a database that is up to date is not touched", (t) => {
  const db = open(t);
  migrate(db, { place: "here", nowMs: 10 });
  const version = db.get("pragma schema_version");
  migrate(db, { place: "here", nowMs: 11 });
  assert.deepEqual(db.get("pragma schema_version"), version);
});

test("what the event's path reads of a destination stands before its URL and its headers", (t) => {
  const db = open(t);
  migrate(db, { place: "here", nowMs: 10 });
  const columns = db.all<{ name: string }>("select name from pragma_table_xinfo('destinations')");
  const place = (name: string): number => columns.findIndex((column) => column.name === name);
  for (const name of ["state", "next_due_at", "rate_per_second", "last_failure_status", "is_notified", "deleted_at"]) {
    assert.ok(place(name) >= 0 && place(name) < place("url"), name);
  }
});
