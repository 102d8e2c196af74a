/** How `bellwire distribute` is called and what it refuses; on a Citus, where one is given, what it does. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { createFakeIo } from "../../test/kit/world/fake-io.ts";
import { type CitusCluster, openCitus, withoutCitus } from "../../test/kit/servers/citus.ts";
import { type SharedCluster, shareCluster } from "../../test/kit/servers/postgres.ts";
import { systemClock } from "../lib/clock.ts";
import { openPostgresStore } from "../store/postgres/open.ts";
import { distribute } from "./distribute.ts";

const ROOT = mkdtempSync(join(tmpdir(), "bellwire-distribute-"));
after(() => rmSync(ROOT, { recursive: true, force: true }));

async function run(args: readonly string[], database: string, env: Readonly<Record<string, string>> = {}) {
  const { io, err } = createFakeIo(args, { BELLWIRE_DATA_DIR: ROOT, BELLWIRE_DATABASE: database, ...env });
  const code = await distribute(io);
  return { code, err: err.join("\n") };
}

describe("what cannot be distributed is told in a sentence", () => {
  let cluster: SharedCluster;
  before(async () => {
    cluster = await shareCluster();
  });
  after(() => cluster[Symbol.asyncDispose]());

  test("a number of shards that no 32 are made of", async () => {
    const { code, err } = await run(["--shards", "5"], "sqlite::memory:");
    assert.equal(code, 2);
    assert.match(err, /^--shards must be 2, 4, 8, 16 or 32; it is "5"\n\nUsage: bellwire distribute/);
  });

  test("a SQLite database", async () => {
    const { code, err } = await run([], "sqlite:some.db");
    assert.equal(code, 1);
    assert.match(err, /^BELLWIRE_DATABASE names a SQLite database\. docs\/move-to-postgres\.md says/);
  });

  test("a database behind a pooler", async () => {
    const { code, err } = await run([], "postgres://u@127.0.0.1:1/x", { BELLWIRE_DATABASE_POOLER: "transaction" });
    assert.equal(code, 1);
    assert.match(err, /^distribute needs the server itself/);
  });

  test("a server that cannot be reached", async () => {
    const { code, err } = await run([], "postgres://u:canary@127.0.0.1:1/x");
    assert.equal(code, 1);
    assert.match(err, /^the database x of u at 127\.0\.0\.1:1 cannot be reached now: .*ECONNREFUSED/);
    assert.match(err, /Run the same command again when that is mended: it goes on\.$/);
    assert.doesNotMatch(err, /canary/);
  });

  test("a PostgreSQL without Citus", async () => {
    const { code, err } = await run([], await cluster.createDatabase());
    assert.equal(code, 1);
    assert.match(err, /^the database \w+ of bellwire at .* has no Citus\. On the coordinator and on each worker put/);
  });
});

describe("on a Citus", { skip: withoutCitus }, () => {
  let citus: CitusCluster;
  before(() => {
    citus = openCitus();
  });
  after(() => citus[Symbol.asyncDispose]());

  const openOnce = async (url: string): Promise<void> =>
    (await openPostgresStore({ url, clock: systemClock })).store[Symbol.asyncDispose]();

  const listLocal = async (url: string): Promise<unknown[]> =>
    await citus.query(
      url,
      `select c.relname from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'bucket'
       left join pg_dist_partition d on d.logicalrelid = c.oid and d.partmethod = 'h'
       where c.relnamespace = 'bellwire'::regnamespace and c.relkind in ('r', 'p') and d.logicalrelid is null`,
    );

  test("a database without tables waits for its first node", async () => {
    const { code, err } = await run([], await citus.createDatabase());
    assert.equal(code, 1);
    assert.match(err, /has no tables of Bellwire yet: start a node of this version on it once/);
  });

  test("a database without workers says how they are added", async () => {
    const url = await citus.createDatabase();
    await openOnce(url);
    await citus.query(url, "select citus_remove_node(nodename, nodeport) from pg_dist_node where groupid <> 0");
    const { code, err } = await run([], url);
    assert.equal(code, 1);
    assert.match(err, /has no workers\. Add each: select citus_add_node\('host', 5432\)/);
  });

  test("a node that takes all to be on one server keeps it from being distributed", async () => {
    const url = await citus.createDatabase();
    await openOnce(url);
    const old = new URL(url);
    old.searchParams.set("application_name", "bellwire");
    await citus.query(old.href, "select 1");
    const { code, err } = await run([], url);
    assert.equal(code, 1);
    assert.match(err, /^Nodes run here that started before Citus was in this database, or are of an older Bellwire/);
    assert.equal((await citus.query(url, "select 1 from pg_dist_partition")).length, 0);
  });

  test("every table with a bucket is distributed, with its checks, and a second run finds nothing left", async () => {
    const url = await citus.createDatabase();
    await openOnce(url);
    const checks =
      "select conname, pg_get_constraintdef(oid) from pg_constraint where contype = 'c' and convalidated " +
      "and conrelid = 'bellwire.deliveries'::regclass order by conname";
    const checksBefore = await citus.query(url, checks);
    const first = await run(["--blocking", "--shards", "2"], url);
    assert.equal(first.code, 0, first.err);
    assert.match(first.err, /27 of 27 tables are to be distributed \(.*\), and writes to a table wait/);
    assert.deepEqual(await listLocal(url), []);
    assert.deepEqual(await citus.query(url, checks), checksBefore);
    const second = await run([], url);
    assert.equal(second.code, 0);
    assert.match(second.err, /^Everything was distributed before\.$/);
    await openOnce(url);
  });

  test("a run that is stopped is called off, and the next one goes on with what is left", async () => {
    const url = await citus.createDatabase();
    await openOnce(url);
    const { io, err, printed, stop } = createFakeIo(["--shards", "2"], {
      BELLWIRE_DATA_DIR: ROOT,
      BELLWIRE_DATABASE: url,
    });
    const running = distribute(io);
    // A partitioned table, which takes seconds.
    await printed(/: attempts \(/);
    stop();
    assert.equal(await running, 1, err.join("\n"));
    assert.match(err.at(-1) ?? "", /^Stopped\. What is distributed stays so\./);
    assert.ok((await listLocal(url)).length > 0);
    const again = await run(["--shards", "2", "--blocking"], url);
    assert.equal(again.code, 0, again.err);
    assert.deepEqual(await listLocal(url), []);
  });
});
