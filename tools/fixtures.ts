/**
 * Makes the databases that are kept of the newest schema, one of each store: `npm run fixtures`. One that is there
 * stays as it is: it was made by the code of its time, which is the point of it. `-- --again` makes it anew, which is
 * right only while no release has had this schema.
 */
import { existsSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { dumpPostgres } from "../test/kit/dump/postgres.ts";
import { dumpSqlite } from "../test/kit/dump/sqlite.ts";
import { startCluster } from "../test/kit/servers/postgres.ts";
import { createVirtualClock } from "../test/kit/world/virtual-clock.ts";
import { fillForUpgrade } from "../src/store/conformance/upgrading.ts";
import { startOfDay } from "../src/store/postgres/days.ts";
import { openMigratingSession } from "../src/store/postgres/schema/migrating-session.ts";
import { MIGRATIONS, NEWEST_VERSION as POSTGRES_VERSION } from "../src/store/postgres/schema/migrations.ts";
import { openPostgresStore } from "../src/store/postgres/open.ts";
import { loadCalendar, makeDays } from "../src/store/postgres/schema/partitions.ts";
import { NEWEST_VERSION as SQLITE_VERSION } from "../src/store/sqlite/schema/migrations.ts";
import { openInlineStore } from "../src/store/sqlite/open.ts";

const FOLDER = new URL("../src/store/golden/", import.meta.url);
const isAgain = process.argv.includes("--again");

/** What the database has noted by its own clock. */
const SET_CLOCKS = `
  update bellwire.inbox set emitted_at = now_ms, due_at = now_ms;
  update bellwire.attempt_tallies set turn = 0;
  update bellwire.schema_migrations set applied_at = now_ms`;

/** Those of the real today. */
const DROP_DAYS = `
  do $$
  declare name text;
  begin
    for name in select tablename from pg_tables where schemaname = 'bellwire' and tablename ~ '_[0-9]{8}$' loop
      execute format('drop table bellwire.%I', name);
    end loop;
  end $$`;

await write(`schema-${SQLITE_VERSION}.sqlite.sql`, makeSqlite);
await write(`schema-${POSTGRES_VERSION}.postgres.sql`, makePostgres);

async function write(name: string, make: () => Promise<string>): Promise<void> {
  const path = fileURLToPath(new URL(name, FOLDER));
  if (existsSync(path) && !isAgain) return console.log(`${name} is there and stays as it is`);
  const text = await make();
  writeFileSync(path, `-- A database of this schema as a crash leaves it; see tools/fixtures.ts.\n${text}`);
  console.log(`wrote ${name}: ${(text.length / 1024).toFixed(0)} KB`);
}

async function makeSqlite(): Promise<string> {
  // Some keys are merged into their table, some not yet.
  const inline = openInlineStore({ clock: createVirtualClock(), generationKeys: 8 });
  await using store = inline.store;
  await fillForUpgrade(store);
  let text = "";
  await inline.between((db) => (text = dumpSqlite(db)));
  return text;
}

async function makePostgres(): Promise<string> {
  await using cluster = await startCluster();
  const url = await cluster.createDatabase();
  const clock = createVirtualClock();
  await using store = (await openPostgresStore({ url, clock })).store;
  await cluster.query(url, DROP_DAYS);
  await using session = await openMigratingSession({ url, pooler: "none", forcesSync: false });
  const today = startOfDay(clock.nowMs());
  await session.transaction(async (db) => makeDays(db, (await loadCalendar(db)).days, [today]));
  await fillForUpgrade(store);
  await cluster.query(url, `select bellwire.emit_demo_session('acc_1', '{"id": "in the inbox"}')`);
  await cluster.query(url, SET_CLOCKS.replaceAll("now_ms", String(clock.nowMs())));
  return await dumpPostgres((sql) => cluster.query(url, sql), MIGRATIONS);
}
