/**
 * `npm run release-fixture`: keeps an installation of this version on both stores, with something of everything in it,
 * and what it answers. Tests of all later versions open it. A released one never changes, so one that is there is
 * refused; `--anew` replaces it before its release. `--answers` writes anew what the code of today reads out of every
 * kept database: where it answers with more than before, the difference is to be looked at.
 */
import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { problem } from "../../src/domain/problem.ts";
import { claimAt, T0, uuid } from "../../src/store/conformance/world.ts";
import type { Store } from "../../src/store/contract/store.ts";
import { overClient } from "../../src/store/postgres/connection/connection.ts";
import { newSession } from "../../src/store/postgres/connection/connections.ts";
import { startOfDay } from "../../src/store/postgres/days.ts";
import { makeDays } from "../../src/store/postgres/schema/partitions.ts";
import { newFolder } from "../../test/kit/folder.ts";
import { dumpDatabase } from "../../test/kit/servers/dump.ts";
import { shareCluster } from "../../test/kit/servers/postgres.ts";
import {
  askInstallation,
  fillRelease,
  folderOf,
  keep,
  listReleases,
  openDatabase,
  openFile,
  OLD_MS,
  restoreDatabase,
  restoreFile,
} from "../../test/kit/world/releases.ts";

const { version } = JSON.parse(readFileSync(join(import.meta.dirname, "../../package.json"), "utf8")) as {
  version: string;
};
using folder = newFolder();
await using cluster = await shareCluster();

const wantsAnswers = process.argv.includes("--answers");
if (!wantsAnswers) await keepDatabases();
for (const release of wantsAnswers ? listReleases() : [version]) await keepAnswers(release);

async function keepDatabases(): Promise<void> {
  if (existsSync(folderOf(version)) && !process.argv.includes("--anew")) {
    throw new Error(`the database of ${version} is kept already, and a released one never changes`);
  }
  mkdirSync(folderOf(version), { recursive: true });
  const path = join(folder.path, "new.db");
  await fillAndClose(path);
  keep(version, "sqlite.db.gz", readFileSync(path));
  const url = await cluster.createDatabase();
  await using store = await openDatabase(url);
  await makeOldDay(url);
  await fillRelease(store);
  await fillInbox(store, url);
  // While its node runs, which then is one that has died: its lease and what it has in memory are there.
  keep(version, "postgres.sql.gz", await dumpDatabase(cluster, { url, day: OLD_MS }));
}

async function fillAndClose(path: string): Promise<void> {
  await using store = await openFile(path);
  await fillRelease(store);
}

async function makeOldDay(url: string): Promise<void> {
  const client = newSession({ url, pooler: "none", forcesSync: false }, { pipeline: true });
  await client.connect();
  try {
    const db = overClient(client, { sql: "begin", keepsStatements: true });
    assert.ok(await makeDays(db, new Map(), [startOfDay(OLD_MS)]));
    await client.query("commit");
  } finally {
    await client.end();
  }
}

/** One record that is refused, one that waits. */
async function fillInbox(store: Store, url: string): Promise<void> {
  for (const n of [1, 2]) {
    const record = `{"id": "${uuid(40_000 + n)}"}`;
    await cluster.query(
      url,
      `insert into bellwire.inbox (account_id, type, record, emitted_at, due_at)
       select account_id, type, '${record}', ${T0 + n}, ${T0 + n} from bellwire.events where id = 'evt_1'`,
    );
  }
  const nowMs = T0 + 10;
  const { records } = await store.claimInboxRecords({ nowMs, claim: claimAt(nowMs), recordsMax: 1, bytesMax: 999 });
  const refusals = records.map(({ seq }) => ({ seq, problem: problem("invalid_record", "A name is missing.") }));
  assert.equal((await store.refuseInboxRecordsIfClaimed({ claimToken: "token", nowMs, refusals })).refused, 1);
}

async function keepAnswers(release: string): Promise<void> {
  await using sqlite = await openFile(restoreFile(release, folder.path));
  await using postgres = await openDatabase(await restoreDatabase(release, cluster));
  const answers = await askInstallation(sqlite);
  assert.deepEqual(await askInstallation(postgres), answers, "the two stores answer differently");
  writeFileSync(join(folderOf(release), "expected.json"), `${JSON.stringify(answers, null, 1)}\n`);
  console.log(`${release}: kept in ${folderOf(release)}`);
}
