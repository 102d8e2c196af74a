import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import pg from "pg";
import { startCluster, underShortLimits, untilSomeoneWaits } from "../../../test/kit/servers/postgres.ts";
import { eventually } from "../../../test/kit/wait.ts";
import { createVirtualClock } from "../../../test/kit/world/virtual-clock.ts";
import { systemClock } from "../../lib/clock.ts";
import { ACCEPTED, accept, claimIds, due, makeEvent, setUp, T0 } from "../conformance/world.ts";
import { StoreUnavailable, StoreUnusable } from "../contract/store.ts";
import { openPool, PATH_POOL } from "./connection/connections.ts";
import { beginSql, startUpOptions } from "./connection/transaction-settings.ts";
import { inspectPostgres } from "./inspect.ts";
import type { CommitInfo } from "../group-commit.ts";
import { newForms } from "./schema/forms.ts";
import { MIGRATIONS, NEWEST_VERSION } from "./schema/migrations.ts";
import { openPostgresStore } from "./open.ts";
import { prepareShard } from "./shard.ts";

const cluster = await startCluster();
after(() => cluster[Symbol.asyncDispose]());

const open = (url: string, onCommit?: (info: CommitInfo) => void) =>
  openPostgresStore({ url, clock: systemClock, ...(onCommit === undefined ? {} : { onCommit }) });

async function closed(url: string): Promise<void> {
  const { store } = await open(url);
  await store[Symbol.asyncDispose]();
}

/** Rejects as unusable, with a message that says so. */
const isUnusable = (message: RegExp) => (error: unknown) => {
  assert.ok(error instanceof StoreUnusable, String(error));
  assert.match(error.message, message);
  return true;
};

const HAS_LZ4 = `
  select 'lz4' = any (enumvals) as "hasLz4"
  from pg_settings
  where name = 'default_toast_compression'`;

const OURS = "select count(*)::integer as count from pg_stat_activity where application_name = 'bellwire node'";

async function untilSessions(isEnough: (count: number) => boolean): Promise<void> {
  await eventually("that sessions come or go", async () => {
    return isEnough(Number((await cluster.query(cluster.toUrl("postgres"), OURS))[0]?.["count"]));
  });
}

const untilNoSession = (): Promise<void> => untilSessions((count) => count === 0);

describe("a new database", () => {
  test("gets its schema, once, also when three nodes start at the same moment", async () => {
    const url = await cluster.createDatabase();
    const nodes = await Promise.all([open(url), open(url), open(url)]);
    await Promise.all(nodes.map(({ store }) => store.probe({ nowMs: T0 })));
    await Promise.all(nodes.map(({ store }) => store[Symbol.asyncDispose]()));
    const history = await cluster.query(url, "select version, name from bellwire.schema_migrations order by version");
    assert.deepEqual(
      history.map(({ version, name }) => [Number(version), name]),
      MIGRATIONS.map(({ version, name }) => [version, name]),
    );
  });

  test("gets another shard's schema while something keeps its own from being looked at", async () => {
    const url = await cluster.createDatabase();
    await closed(url);
    const holder = new pg.Client({ connectionString: url });
    await holder.connect();
    await holder.query("begin; lock table bellwire.schema_migrations");
    const opening = open(url);
    await untilSomeoneWaits(cluster, url);
    const connections = { url, schema: "second", pooler: "none", forcesSync: false } as const;
    const measure = async (): Promise<void> => {};
    await prepareShard(connections, { clock: systemClock, isHome: false, forms: newForms(), measure });
    await holder.end();
    await (await opening).store[Symbol.asyncDispose]();
  });

  test("keeps to its own schema beside the tables of the product", async () => {
    const url = await cluster.createDatabase();
    await cluster.query(url, "create table accounts (id integer); insert into accounts values (7)");
    await closed(url);
    assert.deepEqual(await cluster.query(url, "select id from public.accounts"), [{ id: 7 }]);
  });

  test("gets it although its owner's statements and locks end after a second by default", async () => {
    const url = await cluster.createDatabase();
    const { store } = await underShortLimits(cluster, url, () => open(url));
    const configVersion = await setUp(store, ["dst_a"]);
    const event = makeEvent(1, { configVersion, deliveries: [due("dlv_1", "dst_a")] });
    assert.deepEqual(
      (await accept(store, [event])).map(({ kind }) => kind),
      ["accepted"],
    );
    await store[Symbol.asyncDispose]();
  });

  test("keeps what was committed until the next start", async () => {
    const url = await cluster.createDatabase();
    const first = await open(url);
    await first.store.saveSettingUnlessThere({ name: "a", value: "1" });
    await first.store[Symbol.asyncDispose]();
    const second = await open(url);
    assert.equal(await second.store.loadSetting({ name: "a" }), "1");
    await second.store[Symbol.asyncDispose]();
  });
});

describe("a database that cannot be used says why", () => {
  test("when it is not there, or we may not in", async () => {
    const missing = cluster.toUrl("missing");
    await assert.rejects(
      open(missing),
      isUnusable(/^the database missing of .* does not exist.*check BELLWIRE_DATABASE/),
    );
    const url = await cluster.createDatabase();
    await cluster.query(url, "drop role if exists guest; create role guest login");
    const asGuest = url.replace(/user=\w+/, "user=guest");
    await assert.rejects(open(asGuest), isUnusable(/permission denied for database/));
  });

  test("and never shows the password", async () => {
    const url = `${cluster.toUrl("missing")}&password=canary`;
    await assert.rejects(open(url), (error: Error) => !error.message.includes("canary"));
  });

  test("when it is not in UTF-8", async () => {
    await cluster.query(cluster.toUrl("postgres"), "create database latin encoding 'LATIN1' template template0");
    await assert.rejects(open(cluster.toUrl("latin")), isUnusable(/encoded in LATIN1/));
  });

  test("when another program has a schema of our name", async () => {
    const url = await cluster.createDatabase();
    await cluster.query(url, "create schema bellwire; create table bellwire.notes (text text)");
    await assert.rejects(open(url), isUnusable(/a schema of this name that is another program's/));
  });

  test("when a newer Bellwire has used it, with both versions", async () => {
    const url = await cluster.createDatabase();
    await closed(url);
    await cluster.query(url, "insert into bellwire.schema_migrations values (99, 'future', 0)");
    await assert.rejects(
      open(url),
      isUnusable(new RegExp(`schema version 99.* knows up to ${NEWEST_VERSION}: a newer B`)),
    );
  });

  test("when no release made it, though it has no step more than ours", async () => {
    const url = await cluster.createDatabase();
    await closed(url);
    const name = "update bellwire.schema_migrations set name = 'outbox' where version = 2";
    await cluster.query(url, `delete from bellwire.schema_migrations where version > 2; ${name}`);
    const said = /version 2, and its step 2 is "outbox", and in every release that has one "emit": another build/;
    await assert.rejects(open(url), isUnusable(said));
    await assert.rejects(inspectPostgres({ url, pooler: "none", clock: systemClock }), isUnusable(said));
  });

  test("and leaves no session there when its directory of shards cannot be read", async () => {
    const url = await cluster.createDatabase();
    await closed(url);
    await cluster.query(url, "alter table bellwire.shards rename to shards_of_another");
    await assert.rejects(
      open(url),
      isUnusable(/cannot be used: the server refuses what it is asked \(relation "shards" does not exist/),
    );
    await untilNoSession();
  });

  test("and is unavailable, not unusable, when nothing answers there", async () => {
    await assert.rejects(open("postgres://u@127.0.0.1:1/x"), (error) => {
      assert.ok(error instanceof StoreUnavailable, String(error));
      assert.match(error.message, /^the database x of u at 127\.0\.0\.1:1 cannot be reached now: .*ECONNREFUSED/);
      return true;
    });
  });
});

describe("connections", () => {
  /** The setting of a session of ours. */
  async function readSetting(url: string, forcesSync: boolean, name: string): Promise<unknown> {
    const pool = openPool({ url, pooler: "none", forcesSync }, PATH_POOL);
    const { rows } = await pool.query<Record<string, unknown>>(`show ${name}`);
    await pool.end();
    return Object.values(rows[0] ?? {})[0];
  }

  test("have a limit for every wait, and the isolation that the verbs are made for", async () => {
    const url = await cluster.createDatabase();
    await cluster.query(
      url,
      `alter database ${new URL(url).pathname.slice(1)} set default_transaction_isolation to serializable`,
    );
    assert.equal(await readSetting(url, false, "statement_timeout"), "10s");
    assert.equal(await readSetting(url, false, "lock_timeout"), "5s");
    assert.equal(await readSetting(url, false, "idle_in_transaction_session_timeout"), "10s");
    assert.equal(await readSetting(url, false, "default_transaction_isolation"), "read committed");
  });

  test("sync each commit, although the server's default is not to", async () => {
    const url = await cluster.createDatabase();
    assert.deepEqual(await cluster.query(url, "show synchronous_commit"), [{ synchronous_commit: "off" }]);
    const { store } = await open(url);
    await store.probe({ nowMs: T0 });
    await store[Symbol.asyncDispose]();
    assert.equal(await readSetting(url, true, "synchronous_commit"), "on");
  });

  test("pack large bodies by lz4 where the server is built with it, and else by its default", async () => {
    const url = await cluster.createDatabase();
    const { store } = await open(url);
    const configVersion = await setUp(store, ["dst_a"]);
    const body = JSON.stringify({ text: "word ".repeat(2_000) });
    await accept(store, [{ ...makeEvent(1, { configVersion, deliveries: [] }), body }]);
    await store[Symbol.asyncDispose]();
    const [server] = await cluster.query(url, HAS_LZ4);
    const by = server?.["hasLz4"] === true ? "lz4" : "pglz";
    assert.deepEqual(await cluster.query(url, "select pg_column_compression(body) as by from bellwire.events"), [
      { by },
    ]);
    const settings = { schema: "bellwire", forcesSync: false, packsByLz4: true };
    assert.match(startUpOptions({ ...settings, keepsPlans: false }), /-c default_toast_compression=lz4/);
    assert.match(beginSql({ ...settings, statementMsMax: null }), /set local default_toast_compression = lz4/);
  });

  test("are all closed with the store", async () => {
    const url = await cluster.createDatabase();
    const { store } = await open(url);
    await Promise.all(Array.from({ length: 20 }, () => store.countWaiting({ nowMs: T0 })));
    await store[Symbol.asyncDispose]();
    await untilNoSession();
  });

  test("join calls: two hundred accepts at once are a few commits", async () => {
    const commits: number[] = [];
    const { store } = await open(await cluster.createDatabase(), ({ commands }) => commits.push(commands));
    const configVersion = await setUp(store, ["dst_a"]);
    commits.length = 0;
    const events = Array.from({ length: 200 }, (_, n) =>
      makeEvent(n, { configVersion, deliveries: [due(`dlv_${n}`, "dst_a")] }),
    );
    await Promise.all(events.map((event) => accept(store, [event])));
    assert.equal(
      commits.reduce((sum, commands) => sum + commands, 0),
      200,
    );
    assert.ok(commits.length <= 3, `${commits.length} commits`);
    await store[Symbol.asyncDispose]();
  });
});

describe("a database that goes away", () => {
  const eventAt = (n: number, configVersion: number) =>
    makeEvent(n, { configVersion, deliveries: [due(`dlv_${n}`, "dst_a")] });

  test("makes every verb unavailable at once, and nothing is lost or needs a hand when it is back", async () => {
    const { store } = await open(await cluster.createDatabase());
    const configVersion = await setUp(store, ["dst_a"]);
    await accept(store, [eventAt(1, configVersion)]);
    const crash = cluster.stop("immediate");
    const during = await Promise.allSettled(
      Array.from({ length: 50 }, (_, n) => accept(store, [eventAt(100 + n, configVersion)])),
    );
    await crash;
    const isUnavailable = (error: unknown) => error instanceof StoreUnavailable;
    await assert.rejects(accept(store, [eventAt(2, configVersion)]), isUnavailable);
    await assert.rejects(claimIds(store, T0), isUnavailable);
    await assert.rejects(store.probe({ nowMs: T0 }), isUnavailable);
    await assert.rejects(store.countWaiting({ nowMs: T0 }), isUnavailable);
    await cluster.start();
    await store.probe({ nowMs: T0 });
    assert.deepEqual(await accept(store, [eventAt(3, configVersion)]), [ACCEPTED]);
    const acknowledged = during.flatMap((result, n) => (result.status === "fulfilled" ? [`dlv_${100 + n}`] : []));
    for (const result of during) if (result.status === "rejected") assert.ok(isUnavailable(result.reason));
    const there = await claimIds(store, T0 + 9);
    for (const id of ["dlv_1", "dlv_3", ...acknowledged]) assert.ok(there.includes(id), `${id} is lost`);
    await store[Symbol.asyncDispose]();
  });

  test("ends sessions that an operator throws out, and the next calls open new ones", async () => {
    const url = await cluster.createDatabase();
    const { store } = await open(url);
    const configVersion = await setUp(store, ["dst_a"]);
    const others = "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'bellwire node'";
    await cluster.query(url, others);
    const results = await Promise.allSettled([1, 2, 3].map((n) => accept(store, [eventAt(n, configVersion)])));
    for (const result of results)
      if (result.status === "rejected") assert.ok(result.reason instanceof StoreUnavailable);
    assert.equal((await accept(store, [eventAt(4, configVersion)]))[0]?.kind, "accepted");
    await store[Symbol.asyncDispose]();
  });
});

describe("a server that became a standby", () => {
  test("is unavailable to writers and newcomers until it is promoted, and what was open there is dropped", async () => {
    const url = await cluster.createDatabase();
    const { store } = await open(url);
    await cluster.stop("fast");
    await cluster.start("standby");
    const isUnavailable = (message: RegExp) => (error: unknown) =>
      error instanceof StoreUnavailable && message.test(error.message);
    await Promise.allSettled([store.probe({ nowMs: T0 }), store.countWaiting({ nowMs: T0 })]);
    // Reading goes on there, so these sessions would stay for good.
    await Promise.all([1, 2, 3].map(() => store.countWaiting({ nowMs: T0 })));
    await untilSessions((count) => count >= 3);
    await assert.rejects(store.probe({ nowMs: T0 }), isUnavailable(/read-only.*25006/));
    await untilSessions((count) => count <= 1);
    await assert.rejects(open(url), isUnavailable(/is a standby and takes no writes now/));
    await cluster.query(cluster.toUrl("postgres"), "select pg_promote()");
    await store.probe({ nowMs: T0 });
    await store[Symbol.asyncDispose]();
  });
});

describe("the clock", () => {
  test("is the database's, however wrong the node's own is", async () => {
    const own = createVirtualClock();
    const { store, clock } = await openPostgresStore({ url: await cluster.createDatabase(), clock: own });
    assert.ok(Math.abs(own.nowMs() - Date.now()) > 60_000, "the virtual clock is far away");
    assert.ok(Math.abs(clock.nowMs() - Date.now()) < 5_000, `${clock.nowMs() - Date.now()} ms away`);
    await store[Symbol.asyncDispose]();
  });
});
