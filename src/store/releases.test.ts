/** Every released version's database opens, holds what it held, and goes on, on both stores. */
import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import { minutesMs } from "../lib/duration.ts";
import { newFolder } from "../../test/kit/folder.ts";
import { shareCluster } from "../../test/kit/servers/postgres.ts";
import {
  askInstallation,
  FOUND_AND_FORGOTTEN,
  findAndForget,
  listReleases,
  openDatabase,
  OLD_MS,
  openFile,
  readExpected,
  restoreDatabase,
  restoreFile,
  withoutNew,
} from "../../test/kit/world/releases.ts";
import { readSchemaOfDatabase, readSchemaOfFile } from "../../test/kit/world/schemas.ts";
import { ACCEPTED, ACCOUNT, accept, claimAt, loadVersion, makeEvent, T0 } from "./conformance/world.ts";
import { nameOfDay } from "./postgres/days.ts";
import type { Store } from "./contract/store.ts";

const accountId = ACCOUNT.id;
const RELEASES = listReleases();
const folder = newFolder();
const cluster = await shareCluster();
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
  const expected = readExpected(release);
  assert.deepEqual(withoutNew(await askInstallation(store), expected), expected);
}

/** One of its inbox's records becomes an event, the other one stays refused; the dead node's lease goes. */
async function assertTakesInbox(store: Store): Promise<void> {
  const nowMs = T0 + minutesMs(20);
  const { records } = await store.claimInboxRecords({ nowMs, claim: claimAt(nowMs), recordsMax: 9, bytesMax: 999 });
  assert.equal(records.length, 1);
  const { seq, record } = records[0] ?? assert.fail();
  const configVersion = await loadVersion(store);
  const { id: sourceId } = JSON.parse(record) as { id: string };
  const event = makeEvent(50_000, { configVersion, sourceId, body: record, inboxSeq: seq });
  assert.deepEqual(await accept(store, [event], nowMs), [ACCEPTED]);
  assert.equal((await store.loadEvent({ accountId, type: "demo_viewed", sourceId }))?.body, record);
  assert.deepEqual(await store.countInbox({ refusedFromMs: 0 }), {
    waiting: 0,
    oldestEmittedAtMs: null,
    refused: 1,
  });
  const [refused] = await store.listRefusedRecords({ accountId, before: null, limit: 9, recordCharsMax: 99 });
  assert.equal(refused?.problem.detail, "A name is missing.");
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
      assert.deepEqual(await readSchemaOfDatabase(cluster, url), await readSchemaOfDatabase(cluster, fresh), CHANGED);
    });

    test("finds an old event by a word on SQLite, and forgets it when its time has come", async () => {
      await using store = await openFile(restoreFile(release, folder.path));
      assert.deepEqual(await findAndForget(store), FOUND_AND_FORGOTTEN);
    });

    test("does so on PostgreSQL, where the day is dropped, and takes over from inbox and dead node", async () => {
      const url = await restoreDatabase(release, cluster);
      const count = async (rows: string) =>
        Number((await cluster.query(url, `select count(*) as n from ${rows}`))[0]?.["n"]);
      const old = `pg_class where relname = 'events_${nameOfDay(OLD_MS)}'`;
      assert.deepEqual([await count(old), await count("bellwire.leases")], [1, 1]);
      const [{ id: dead } = {}] = await cluster.query(url, "select id from bellwire.leases");
      await using store = await openDatabase(url);
      await askInstallation(store);
      await assertTakesInbox(store);
      assert.equal(await count(`bellwire.leases where id = ${String(dead)}`), 0);
      assert.deepEqual(await findAndForget(store), FOUND_AND_FORGOTTEN);
      assert.equal(await count(old), 0);
    });
  });
}
