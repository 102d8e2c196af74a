/**
 * The first start on the database of a release is killed with SIGKILL before each statement that may write. The next
 * start brings the database to the same schema as one that nothing interrupted, and nothing is lost.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import pg from "pg";
import { newFolder } from "../../test/kit/folder.ts";
import { type Child, startChild } from "../../test/kit/process/child.ts";
import { shareCluster } from "../../test/kit/servers/postgres.ts";
import { eventually } from "../../test/kit/wait.ts";
import { COLUMN, INDEX, migrateAhead } from "../../test/kit/world/newer-schema.ts";
import {
  askInstallation,
  listReleases,
  openDatabase,
  openFile,
  readExpected,
  restoreDatabase,
  restoreFile,
  withoutNew,
} from "../../test/kit/world/releases.ts";
import { readSchemaOfDatabase, readSchemaOfFile } from "../../test/kit/world/schemas.ts";
import type { Store } from "./contract/store.ts";

const PROGRAM = join(import.meta.dirname, "../../test/kit/process/upgrade-and-die.ts");
/** More statements than any upgrade has: the loops below end when one was not interrupted. */
const STATEMENTS_MAX = 500;

const cluster = await shareCluster();
after(() => cluster[Symbol.asyncDispose]());

const startUpgrade = (place: string, deadly: number): Child => startChild({ args: [PROGRAM, place, `${deadly}`] });

/** False: it had fewer statements, and came to its end. */
async function isKilled(place: string, deadly: number): Promise<boolean> {
  await using child = startUpgrade(place, deadly);
  const { code, signal } = await child.exited;
  assert.ok(signal === "SIGKILL" || code === 0, child.err.text);
  return signal === "SIGKILL";
}

async function assertHoldsAll(release: string, opening: Promise<Store>): Promise<void> {
  await using store = await opening;
  const expected = readExpected(release);
  assert.deepEqual(withoutNew(await askInstallation(store), expected), expected);
}

const listSteps = async (url: string): Promise<string> =>
  JSON.stringify(await cluster.query(url, "select version from bellwire.schema_migrations order by version"));

const findWaiting = (sql: string): string =>
  `select 1 from pg_stat_activity where query like '${sql}' and wait_event_type = 'Lock'`;

for (const release of listReleases()) {
  describe(`an upgrade of ${release} that is killed before any statement that may write`, () => {
    test("is made by the next start on SQLite", async (t) => {
      using folder = newFolder();
      const fresh = join(folder.path, "new.db");
      await (await openFile(fresh))[Symbol.asyncDispose]();
      const schema = readSchemaOfFile(fresh);
      let deadly = 1;
      for (; deadly < STATEMENTS_MAX; deadly += 1) {
        using own = newFolder();
        const path = restoreFile(release, own.path);
        const killed = await isKilled(path, deadly);
        await assertHoldsAll(release, openFile(path));
        assert.deepEqual(readSchemaOfFile(path), schema, `killed before statement ${deadly}`);
        if (!killed) break;
      }
      t.diagnostic(`killed before each of ${deadly - 1} statements`);
      assert.ok(deadly > 20 && deadly < STATEMENTS_MAX);
    });

    test("is made by the next start on PostgreSQL, with an index that is made while others work", async (t) => {
      const fresh = await cluster.createDatabase();
      await migrateAhead(fresh, [COLUMN, INDEX]);
      const schema = await readSchemaOfDatabase(cluster, fresh);
      const url = await restoreDatabase(release, cluster);
      const before = await listSteps(url);
      let deadly = 1;
      for (; deadly < STATEMENTS_MAX; deadly += 1) {
        const killed = await isKilled(url, deadly);
        // Most leave nothing, and then the next one is killed on what they left.
        if (killed && (await listSteps(url)) === before && deadly % 10 > 0) continue;
        await migrateAhead(url, [COLUMN, INDEX]);
        await assertHoldsAll(release, openDatabase(url));
        assert.deepEqual(await readSchemaOfDatabase(cluster, url), schema, `killed before statement ${deadly}`);
        if (!killed) break;
        await restoreDatabase(release, cluster, url);
      }
      t.diagnostic(`killed before each of ${deadly - 1} statements`);
      assert.ok(deadly > 40 && deadly < STATEMENTS_MAX);
    });

    test("is made by the next start while the server still makes the dead node's index", async () => {
      const url = await restoreDatabase(release, cluster);
      await migrateAhead(url, [COLUMN]);
      const writer = new pg.Client({ connectionString: url });
      await writer.connect();
      await writer.query("begin; lock table bellwire.deliveries_pending in row exclusive mode");
      const child = startUpgrade(url, STATEMENTS_MAX);
      const waits = (sql: string) =>
        eventually(`${sql} to wait`, async () => (await cluster.query(url, findWaiting(sql))).length > 0);
      await waits("create index concurrently%");
      await child[Symbol.asyncDispose]();
      const next = migrateAhead(url, [COLUMN, INDEX]);
      await waits("drop index concurrently%");
      await writer.end();
      await next;
      await assertHoldsAll(release, openDatabase(url));
      const valid = "select indisvalid from pg_index where indexrelid = 'bellwire.deliveries_coloured'::regclass";
      assert.deepEqual(await cluster.query(url, valid), [{ indisvalid: true }]);
    });
  });
}
