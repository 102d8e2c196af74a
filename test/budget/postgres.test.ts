import assert from "node:assert/strict";
import type { EventEmitter } from "node:events";
import { after, before, test } from "node:test";
import type { PoolClient } from "pg";
import { packAttempt, type AttemptColumns } from "../../src/store/postgres/attempts.ts";
import type { Call } from "../../src/store/calls.ts";
import { commitCalls } from "../../src/store/postgres/commit-calls.ts";
import { Batch } from "../../src/store/postgres/connection/batch.ts";
import { PATH_POOL } from "../../src/store/postgres/connection/connections.ts";
import { openPostgresStore } from "../../src/store/postgres/open.ts";
import type { Database } from "../../src/store/postgres/transaction.ts";
import { ACCOUNT, T0 } from "../../src/store/conformance/world.ts";
import { type Cluster, startCluster } from "../kit/servers/postgres.ts";
import { openDatabase } from "../kit/servers/store-database.ts";
import { createVirtualClock } from "../kit/world/virtual-clock.ts";
import { type Costs, holdBudget } from "./hold.ts";
import { acceptCalls, claimCall, setUpCalls, settleCalls } from "./path-calls.ts";

const WEBHOOKS = 200;
const CONFIG_VERSION = 3;

let cluster: Cluster;
before(async () => {
  cluster = await startCluster({ settings: ["autovacuum=off"] });
});
after(() => cluster[Symbol.asyncDispose]());

interface Commits {
  /** Webhooks in a commit. Of more than one, it settles those that the commit before has accepted. */
  readonly batch: number;
  /** Each event says of seven other webhooks why it did not go there. */
  readonly leavesOut: boolean;
  /** Their bodies are made of a template. */
  readonly isMade?: boolean;
  /** Each waits for a claim, which brings it alone. */
  readonly oneAtATime?: boolean;
}

const LOADS: readonly (readonly [load: string, commits: Commits])[] = [
  ["1 in a commit", { batch: 1, leavesOut: false }],
  ["1 in a commit, one at a time", { batch: 1, leavesOut: false, oneAtATime: true }],
  ["50 in a commit", { batch: 50, leavesOut: false }],
  ["50 in a commit, each for one of eight webhooks", { batch: 50, leavesOut: true }],
  ["50 in a commit, each of a template", { batch: 50, leavesOut: false, isMade: true }],
  ["100 in a commit", { batch: 100, leavesOut: false }],
];

for (const [load, commits] of LOADS) {
  const where = `PostgreSQL, ${load}`;
  test(`${where}: statements, rows, dead rows and bytes of log stay within the budget`, async () => {
    const url = await cluster.createDatabase();
    const { store } = await openPostgresStore({ url, clock: createVirtualClock(T0) });
    await store[Symbol.asyncDispose]();
    const counts: Sent = { statements: 0, ways: 0 };
    const database = openCounted(url, counts);
    await commitCalls(
      database,
      setUpCalls<AttemptColumns>(commits).map((call) => ({ ...call, mayBeMissing: true })),
    );
    await runWebhooks(database, { first: 1, ...commits });
    holdBudget(where, await countCosts(database, { counts, url, ...commits }));
    await database.pool.end();
  });
}

test("PostgreSQL: turns to the server, one after the other, stay within the budget", async () => {
  const url = await cluster.createDatabase();
  const { store } = await openPostgresStore({ url, clock: createVirtualClock(T0) });
  await store[Symbol.asyncDispose]();
  const counts: Sent = { statements: 0, ways: 0 };
  const database = openCounted(url, counts);
  const count = async (calls: readonly Call<AttemptColumns>[]): Promise<number> => {
    const { ways } = counts;
    const failed = (await commitCalls(database, calls)).find(({ kind }) => kind !== "done");
    assert.equal(failed, undefined);
    return counts.ways - ways;
  };
  await commitCalls(
    database,
    setUpCalls<AttemptColumns>().map((call) => ({ ...call, mayBeMissing: true })),
  );
  const accept = (first: number, waits: boolean) =>
    acceptCalls<AttemptColumns>({ first, count: 1, waits }, CONFIG_VERSION);
  // The first one opens the node's lease.
  await count(accept(1, false));
  const turns = {
    "reading an account": await count([{ verb: "loadAccount", params: { accountId: ACCOUNT.id } }]),
    "an accept": await count(accept(2, false)),
    "an accept that lowers a due bound": await count(accept(3, true)),
    "an accept behind others that wait": await count(accept(4, true)),
    "the settlement of a success": await count(settleCalls({ first: 2, count: 1 }, packAttempt)),
  };
  for (const [what, number] of Object.entries(turns)) console.log(`${what}: ${number} turns`);
  holdBudget("PostgreSQL, turns", turns);
  await database.pool.end();
});

interface Sent {
  statements: number;
  /** To the server and back: what goes out while something is unanswered is part of the same one. */
  ways: number;
}

interface Counted extends Commits {
  readonly counts: Sent;
  readonly url: string;
}

async function countCosts(database: Database, { counts, url, ...commits }: Counted): Promise<Costs> {
  const earlier = await readCounts(database, url);
  Object.assign(counts, { statements: 0, ways: 0 });
  await runWebhooks(database, { first: WEBHOOKS + 1, ...commits });
  const { statements, ways } = counts;
  const now = await readCounts(database, url);
  return {
    statements: statements / WEBHOOKS,
    "ways to the server": ways / WEBHOOKS,
    "rows written": (now.written - earlier.written) / WEBHOOKS,
    "dead rows": (now.dead - earlier.dead) / WEBHOOKS,
    "bytes of log": (now.logBytes - earlier.logBytes) / WEBHOOKS,
  };
}

/** One connection, so that it can be told to report what it did. */
function openCounted(url: string, counts: Sent): Database {
  const database = openDatabase(url, { ...PATH_POOL, connectionsMax: 1 });
  database.pool.on("connect", (client: PoolClient) => {
    const query = client.query.bind(client) as (...args: unknown[]) => unknown;
    const { connection } = client as unknown as { readonly connection: EventEmitter };
    let unanswered = 0;
    connection.on("readyForQuery", () => (unanswered -= 1));
    const counting = (...args: unknown[]): unknown => {
      counts.statements += args[0] instanceof Batch ? args[0].statements.length : 1;
      if (unanswered === 0) counts.ways += 1;
      unanswered += 1;
      return query(...args);
    };
    Object.assign(client, { query: counting });
  });
  return database;
}

interface Counts {
  readonly written: number;
  readonly dead: number;
  readonly logBytes: number;
}

async function readCounts({ pool }: Database, url: string): Promise<Counts> {
  await pool.query("select pg_stat_force_next_flush()");
  await pool.query("select 1");
  const [counts] = await cluster.query(url, READ);
  return counts as unknown as Counts;
}

const READ = `
  select sum(n_tup_ins + n_tup_upd + n_tup_del)::float as written, sum(n_tup_upd + n_tup_del)::float as dead,
    pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::float as "logBytes"
  from pg_stat_user_tables
  where schemaname = 'bellwire'`;

interface Run extends Commits {
  readonly first: number;
}

async function runWebhooks(database: Database, run: Run): Promise<void> {
  const { first, batch, leavesOut, isMade = false, oneAtATime = false } = run;
  const commit = async (calls: readonly Call<AttemptColumns>[]): Promise<void> => {
    const failed = (await commitCalls(database, calls)).find(({ kind }) => kind !== "done");
    if (failed !== undefined) throw new Error("a call failed", { cause: failed });
  };
  for (let n = first; n < first + WEBHOOKS; n += batch) {
    const accepts = acceptCalls<AttemptColumns>(
      { first: n, count: batch, leavesOut, waits: oneAtATime },
      CONFIG_VERSION,
    );
    const claims = oneAtATime ? [[claimCall<AttemptColumns>()]] : [];
    const settle = (from: number) => settleCalls({ first: from, count: batch, isMade }, packAttempt);
    if (batch === 1) for (const calls of [accepts, ...claims, settle(n)]) await commit(calls);
    else await commit(n === 1 ? accepts : [...accepts, ...settle(n - batch)]);
  }
}
