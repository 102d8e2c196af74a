/** The contract's path, and the races of several nodes, through a PgBouncer in transaction mode. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { NO_PGBOUNCER, type PgBouncer, SESSIONS_MAX, startPgBouncer } from "../../../../test/kit/servers/pgbouncer.ts";
import { type Cluster, startCluster, underShortLimits } from "../../../../test/kit/servers/postgres.ts";
import { systemClock } from "../../../lib/clock.ts";
import { pathConformance } from "../../conformance/suite.ts";
import { describeNodes } from "../../conformance/nodes.ts";
import { accept, claimIds, due, makeEvent, setUp, T0 } from "../../conformance/world.ts";
import { type Store, StoreUnusable } from "../../contract/store.ts";
import { overClient } from "./connection.ts";
import { toBeginning, type ConnectionOptions, openPool, PATH_POOL } from "./connections.ts";
import { openPostgresStore } from "../open.ts";

describe("through PgBouncer in transaction mode", { skip: NO_PGBOUNCER }, () => {
  let cluster: Cluster;
  let url: string;
  let pgBouncer: PgBouncer;

  before(async () => {
    cluster = await startCluster();
    url = await cluster.createDatabase();
    pgBouncer = await startPgBouncer({ clusterUrl: url });
  });
  after(async () => {
    await pgBouncer[Symbol.asyncDispose]();
    await cluster[Symbol.asyncDispose]();
  });

  async function openNode(): Promise<Store> {
    const through = { url: pgBouncer.through(url), pooler: "transaction" } as const;
    return (await openPostgresStore({ ...through, clock: systemClock })).store;
  }

  test("it refuses what sessions of our own need, and the error names the setting", async () => {
    const open = openPostgresStore({ url: pgBouncer.through(url), clock: systemClock });
    await assert.rejects(open, (error) => {
      assert.ok(error instanceof StoreUnusable, String(error));
      assert.match(error.message, /PgBouncer .*unsupported startup parameter.*BELLWIRE_DATABASE_POOLER=transaction/);
      return true;
    });
  });

  test("one that drops it without a word is found out", async () => {
    const settings = ["ignore_startup_parameters = options"];
    await using silent = await startPgBouncer({ clusterUrl: url, settings });
    await assert.rejects(openPostgresStore({ url: silent.through(url), clock: systemClock }), (error) => {
      assert.ok(error instanceof StoreUnusable, String(error));
      assert.match(error.message, /drops the settings of our sessions; set BELLWIRE_DATABASE_POOLER=transaction/);
      return true;
    });
  });

  test("a database that is not there is told as a fault of the settings", async () => {
    const missing = pgBouncer.through(cluster.toUrl("missing"));
    await assert.rejects(openPostgresStore({ url: missing, pooler: "transaction", clock: systemClock }), (error) => {
      assert.ok(error instanceof StoreUnusable, String(error));
      assert.match(error.message, /does not exist.*check BELLWIRE_DATABASE/);
      return true;
    });
  });

  test("a transaction has its limits and its schema, and leaves nothing on the session", async () => {
    const connections: ConnectionOptions = { url: pgBouncer.through(url), pooler: "transaction", forcesSync: true };
    const pool = openPool(connections, PATH_POOL);
    const client = await pool.connect();
    const db = overClient(client, toBeginning(connections, PATH_POOL));
    assert.deepEqual(await db.get(SHOW_SETTINGS), {
      schema: "bellwire",
      statement: "10s",
      lock: "5s",
      idle: "10s",
      sync: "on",
      isolation: "read committed",
    });
    await client.query("commit");
    client.release();
    const { rows } = await pool.query<{ schema: string; sync: string }>(SHOW_SETTINGS);
    assert.notEqual(rows[0]?.schema, "bellwire");
    assert.equal(rows[0]?.sync, "off");
    await pool.end();
  });

  test("a new database gets its schema although its owner's statements end after a second by default", async () => {
    const short = await cluster.createDatabase();
    await underShortLimits(cluster, short, async () => {
      // It starts here, because its sessions keep the defaults with which they began.
      await using bouncer = await startPgBouncer({ clusterUrl: short });
      const through = { url: bouncer.through(short), pooler: "transaction" } as const;
      const { store } = await openPostgresStore({ ...through, clock: systemClock });
      await store.probe({ nowMs: T0 });
      await store[Symbol.asyncDispose]();
    });
  });

  test("nodes share a few sessions, and none of them listens", async () => {
    let hints = 0;
    const through = { url: pgBouncer.through(url), pooler: "transaction", clock: systemClock } as const;
    const { store: waiting } = await openPostgresStore({ ...through, onHint: () => (hints += 1) });
    await using one = waiting;
    await using other = await openNode();
    await cluster.emptyStore(url);
    const configVersion = await setUp(one, ["dst_a"]);
    const accepts = Array.from({ length: 60 }, (_, n) => {
      const event = makeEvent(n, { configVersion, deliveries: [due(`dlv_${n}`, "dst_a")] });
      return n % 6 === 0 ? one.countWaiting({ nowMs: T0 }) : accept(n % 2 === 0 ? one : other, [event]);
    });
    await Promise.all(accepts);
    const [sessions] = await cluster.query(url, COUNT_SESSIONS);
    assert.ok(Number(sessions?.["count"]) <= SESSIONS_MAX, `${String(sessions?.["count"])} sessions`);
    assert.deepEqual(await cluster.query(url, LISTENING), []);
    assert.equal((await claimIds(other, T0 + 9, { deliveriesMax: 99, perDestinationMax: 99 })).length, 50);
    assert.equal(hints, 0);
  });

  pathConformance("PostgreSQL through PgBouncer", async () => {
    const store = await openNode();
    await cluster.emptyStore(url);
    return store;
  });

  describeNodes("nodes on one PostgreSQL through PgBouncer", () => ({ cluster, url, openNode }));
});

const SHOW_SETTINGS = `-- name: show settings
  select current_setting('search_path') as schema, current_setting('statement_timeout') as statement,
    current_setting('lock_timeout') as lock, current_setting('idle_in_transaction_session_timeout') as idle,
    current_setting('synchronous_commit') as sync, current_setting('transaction_isolation') as isolation`;

/** Those of the pooler, whatever became of the store's own name on them. */
const COUNT_SESSIONS = `
  select count(*)::integer as count
  from pg_stat_activity
  where datname = current_database() and pid <> pg_backend_pid()`;

/** The last words of a session of ours that listens. */
const LISTENING = `
  select pid
  from pg_stat_activity
  where query ilike '%listen bellwire%' and pid <> pg_backend_pid()`;
