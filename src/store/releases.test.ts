/** Every released version's database opens, holds what it held, and goes on, on both stores. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { newFolder } from "../../test/kit/folder.ts";
import { type SharedCluster, shareCluster } from "../../test/kit/servers/postgres.ts";
import {
  askInstallation,
  listReleases,
  openDatabase,
  openFile,
  readExpected,
  restoreDatabase,
  restoreFile,
} from "../../test/kit/world/releases.ts";
import type { Store } from "./contract/store.ts";
import { openConnection } from "./sqlite/connection/connection.ts";

const RELEASES = listReleases();
const folder = newFolder();
let cluster: SharedCluster;

before(async () => {
  cluster = await shareCluster();
});
after(async () => {
  folder[Symbol.dispose]();
  await cluster[Symbol.asyncDispose]();
});

test("there is at least one, with deliveries that wait and a key that is known", () => {
  assert.ok(RELEASES.includes("1.0.0"));
  for (const { goesOn } of RELEASES.map(readExpected)) {
    assert.ok(goesOn.claimed.length > 0);
    assert.deepEqual(
      goesOn.again.map(({ kind }) => kind),
      ["duplicate", "accepted"],
    );
  }
});

async function assertGoesOn(release: string, opening: Promise<Store>): Promise<void> {
  await using store = await opening;
  assert.deepEqual(await askInstallation(store), readExpected(release));
}

const CHANGED = "the schema of a released version may not change; add a migration";

for (const release of RELEASES) {
  describe(`the database of ${release}`, () => {
    test("opens on SQLite, and has the schema of a new one", async () => {
      const path = restoreFile(release, folder.path);
      await assertGoesOn(release, openFile(path));
      const fresh = `${folder.path}/new.db`;
      await (await openFile(fresh))[Symbol.asyncDispose]();
      assert.deepEqual(readSchemaOfFile(path), readSchemaOfFile(fresh), CHANGED);
    });

    test("opens on PostgreSQL, and has the schema of a new one", async () => {
      const url = await restoreDatabase(release, cluster);
      await assertGoesOn(release, openDatabase(url));
      const fresh = await cluster.createDatabase();
      await (await openDatabase(fresh))[Symbol.asyncDispose]();
      assert.deepEqual(await cluster.query(url, LIST_SCHEMA), await cluster.query(fresh, LIST_SCHEMA), CHANGED);
    });
  });
}

/** Its statements, without comments. */
function readSchemaOfFile(path: string): string[] {
  const db = openConnection(path);
  const rows = db.all<{ sql: string }>("select sql from sqlite_schema where sql is not null order by name");
  db.close();
  return rows.map(({ sql }) => sql.replace(/--.*/g, "").replace(/\s+/g, " "));
}

/** But for the tables of days, which nodes make. */
const LIST_SCHEMA = `
  with tables as (
    select oid, relname,
      concat_ws(' ', relname, reloptions, pg_get_expr(relpartbound, oid), pg_get_partkeydef(oid)) as line
    from pg_class
    where relnamespace = 'bellwire'::regnamespace and relkind in ('r', 'p') and relname !~ '_[0-9]{8}$'
  )
  select line from tables
  union all
  select concat_ws(' ', relname, attname, format_type(atttypid, atttypmod), attcollation::regcollation, attnotnull,
    attidentity, attgenerated, pg_get_expr(adbin, adrelid))
  from tables
  join pg_attribute a on attrelid = tables.oid and attnum > 0 and not attisdropped
  left join pg_attrdef on adrelid = attrelid and adnum = attnum
  union all
  select pg_get_indexdef(indexrelid) from tables join pg_index on indrelid = tables.oid
  union all
  select concat_ws(' ', relname, conname, pg_get_constraintdef(c.oid))
  from tables
  join pg_constraint c on conrelid = tables.oid
  union all
  select pg_get_functiondef(oid) from pg_proc where pronamespace = 'bellwire'::regnamespace
  order by line`;
