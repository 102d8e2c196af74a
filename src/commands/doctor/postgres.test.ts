import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { createFakeIo } from "../../../test/kit/world/fake-io.ts";
import { NO_PGBOUNCER, startPgBouncer } from "../../../test/kit/servers/pgbouncer.ts";
import { type Cluster, startCluster } from "../../../test/kit/servers/postgres.ts";
import { createApp } from "../../app.ts";
import { readConfig } from "../../config/config.ts";
import { loadKeys } from "../../config/keys.ts";
import { ok } from "../../lib/result.ts";
import { systemClock } from "../../lib/clock.ts";
import { systemRandom } from "../../lib/random.ts";
import { createLog } from "../../observe/log.ts";
import { examine } from "./doctor.ts";

const ROOT = mkdtempSync(join(tmpdir(), "bellwire-doctor-pg-"));
let cluster: Cluster;

before(async () => {
  cluster = await startCluster({ syncs: true, settings: ["max_connections=20"] });
});
after(async () => {
  rmSync(ROOT, { recursive: true, force: true });
  await cluster[Symbol.asyncDispose]();
});

const toEnvironment = (url: string) => ({
  BELLWIRE_DATABASE: url,
  BELLWIRE_DATA_DIR: join(ROOT, "data"),
  BELLWIRE_PORT: "0",
});

async function run(env: Readonly<Record<string, string>>) {
  const { io, out } = createFakeIo([], env);
  const resolver = { resolve: () => Promise.resolve(ok(["192.0.2.1"])) };
  const code = await examine(io, { clock: systemClock, resolver });
  return { code, out: out.join("\n") };
}

/** Starts a node once with these settings. */
async function startOnce(env: Readonly<Record<string, string>>): Promise<void> {
  const config = readConfig(env);
  assert.ok(config.ok);
  const keys = loadKeys(config.value, systemRandom);
  assert.ok(keys.ok);
  const app = await createApp({ config: config.value, keys: keys.value, log: createLog("silent") });
  await app.stop();
}

test("before the first start the database can be reached, and nothing is made in it", async () => {
  const url = await cluster.createDatabase();
  const { code, out } = await run(toEnvironment(url));
  assert.equal(code, 0, out);
  assert.match(out, /^✓ The database test_\w+ of .* \(PostgreSQL 18\.\d+\) can be reached; the first start makes its/m);
  assert.deepEqual(await cluster.query(url, "select 1 from pg_tables where schemaname = 'bellwire'"), []);
});

test("one that is held is warned of, with the reason and what ends it", async () => {
  const url = await cluster.createDatabase();
  await startOnce(toEnvironment(url));
  await cluster.query(
    url,
    "insert into bellwire.settings (name, value) values ('held', 'it was restored from a dump')",
  );
  const { code, out } = await run(toEnvironment(url));
  assert.equal(code, 0, out);
  assert.match(out, /^! The installation is held: it was restored from a dump\.\n.* until `bellwire adopt`\.$/m);
});

test("after it the database takes a write, with a word on its clock, its connections and the nodes' keys", async () => {
  const url = await cluster.createDatabase();
  await startOnce(toEnvironment(url));
  const { code, out } = await run(toEnvironment(url));
  assert.equal(code, 0, out);
  assert.match(
    out,
    /^✓ The database .* opens and takes a write \(schema version \d+\)\.\n {4}answers in [\d.]+ ms; its/m,
  );
  assert.match(out, /^! The server takes 20 connections, and each node opens up to 13\.$/m);
  assert.match(out, /^! Keys come from files .*; every node on this database needs the same ones\.$/m);
  assert.doesNotMatch(out, /Syncing to disk|synchronous_commit/);
  const keys = { BELLWIRE_ENCRYPTION_KEY: Buffer.alloc(32, 7).toString("base64") };
  const other = await run({ ...toEnvironment(url), ...keys });
  assert.equal(other.code, 1);
  assert.match(other.out, /^✗ The database was made with another encryption key/m);
});

test("it makes no table: neither of a day that is missing nor of another shard", async () => {
  const url = await cluster.createDatabase();
  await startOnce(toEnvironment(url));
  const tables = "select count(*) as count from pg_tables where tablename not like 'pg_%'";
  const lastDay = "select max(tablename) as name from pg_tables where tablename ~ '^attempts_[0-9]+$'";
  await cluster.query(
    url,
    `insert into bellwire.shards (name, place, sealed_address, schema, takes_accounts, added_at)
      values ('1', 'here', null, 'second', true, 0)`,
  );
  await cluster.query(url, `drop table bellwire.${String((await cluster.query(url, lastDay))[0]?.["name"])}`);
  const found = await cluster.query(url, tables);
  const { out } = await run(toEnvironment(url));
  assert.match(out, /^! Shard 1 \(here, schema second\) has schema version 0, this Bellwire \d+\.$/m);
  assert.deepEqual(await cluster.query(url, tables), found);
});

test(
  "behind PgBouncer it says which setting is needed, and with it that it is used",
  { skip: NO_PGBOUNCER },
  async () => {
    const clusterUrl = await cluster.createDatabase();
    await using pgBouncer = await startPgBouncer({ clusterUrl });
    const env = toEnvironment(pgBouncer.through(clusterUrl));
    const without = await run(env);
    assert.equal(without.code, 1);
    assert.match(without.out, /^✗ The database .* a pooler such as PgBouncer .*BELLWIRE_DATABASE_POOLER=transaction/m);
    const pooled = { ...env, BELLWIRE_DATABASE_POOLER: "transaction" };
    await startOnce(pooled);
    const { code, out } = await run(pooled);
    assert.equal(code, 0, out);
    assert.match(out, /opens and takes a write .*\n.*\n {4}is reached through a pooler/);
    assert.doesNotMatch(out, /each node opens up to/);
  },
);

test("what is stuck in the inbox and what was refused lately is told", async () => {
  const url = await cluster.createDatabase();
  await startOnce(toEnvironment(url));
  assert.doesNotMatch((await run(toEnvironment(url))).out, /emitted/);
  await cluster.query(
    url,
    `select bellwire.emit_demo_session('a', '{}') from generate_series(1, 3);
     update bellwire.inbox set emitted_at = emitted_at - 300500;
     insert into bellwire.refused_records
       (seq, account_id, type, record, emitted_at, refused_at, code, detail, errors)
     select n, 'a', 'demo_viewed', '', 0, extract(epoch from now()) * 1000 - n * 80000000, 'internal_error', '', '[]'
     from generate_series(1, 2) n`,
  );
  const { code, out } = await run(toEnvironment(url));
  assert.equal(code, 0, out);
  assert.match(out, /^! An emitted record has waited in the inbox for 5 minutes \(3 wait in all\)\.$/m);
  assert.match(out, /^! Emitted records refused in the last 24 hours: 1\.$/m);
});

test("days without tables are reported until the next start", async () => {
  const url = await cluster.createDatabase();
  await startOnce(toEnvironment(url));
  assert.doesNotMatch((await run(toEnvironment(url))).out, /Tables are ready/);
  const days = "select relname from pg_class where relname ~ '^events_\\d{8}$' and relkind = 'r' order by 1 offset 3";
  for (const { relname } of await cluster.query(url, days))
    await cluster.query(url, `drop table bellwire.${String(relname)}`);
  assert.match(
    (await run(toEnvironment(url))).out,
    /^! Tables are ready for 3 of the next 8 days; nodes keep all of them/m,
  );
  await startOnce(toEnvironment(url));
  assert.doesNotMatch((await run(toEnvironment(url))).out, /Tables are ready/);
});

test("a server whose operator has turned safety off is warned of", async () => {
  await using careless = await startCluster();
  const { code, out } = await run(toEnvironment(await careless.createDatabase()));
  assert.equal(code, 0, out);
  assert.match(out, /^! The database does not bring its data through a crash/m);
  assert.match(out, /^! The database answers commits before they are on disk/m);
});

test("one that cannot be reached keeps the service from running, and no password is shown", async () => {
  const { code, out } = await run(toEnvironment("postgres://u:canary@127.0.0.1:1/x"));
  assert.equal(code, 1);
  assert.match(out, /^✗ The database x of u at 127\.0\.0\.1:1 cannot be reached now: .*ECONNREFUSED/m);
  assert.doesNotMatch(out, /canary/);
});
