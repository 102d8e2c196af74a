/**
 * `npm run bench -- outbox [--quick]`: the cost of emitting inside the product's own transactions on PostgreSQL: the
 * product's commits without it and with it (and with the NOTIFY that we leave out), a node's look into an inbox that is
 * empty, and how fast one node empties a full one; the last two also while somebody holds a snapshot open, so that
 * nothing that is gone can be cleared away.
 *
 * Ends with 1 when a look into the empty inbox costs the server more than a millisecond.
 */
import { parseArgs } from "node:util";
import type pg from "pg";
import { putAccount } from "../src/accounts/put-account.ts";
import { createApp } from "../src/app.ts";
import { readConfig } from "../src/config/config.ts";
import { FOR_LOG, createLog } from "../src/observe/log.ts";
import { openStandardOutput } from "../src/observe/standard-output.ts";
import type { Store } from "../src/store/contract/store.ts";
import { makeAccount } from "../test/kit/make.ts";
import { sessionRecord } from "../test/kit/process/records.ts";
import { toValue } from "../test/kit/world/world.ts";
import { pause } from "../test/kit/wait.ts";
import { describeHost } from "./conditions.ts";
import { count, head, row } from "./markdown.ts";
import {
  createStore,
  describeServer,
  forgetStatements,
  listStatements,
  openSession,
  openStore,
  startServer,
} from "./postgres-server.ts";

const ACCOUNT = "acct-bench";
const SESSIONS = 8;
const LOOKS = 400;
const RECORDS = 20_000;
/** Source: the gate for an idle claim of deliveries. */
const LOOK_MS_MAX = 1;

const OWN_ROW = "insert into public.orders values (gen_random_uuid(), 'x')";
const EMIT = "select bellwire.emit_demo_session($1, $2)";
const EMIT_MANY = `select count(bellwire.emit_demo_session('${ACCOUNT}',
  jsonb_set($1, '{id}', to_jsonb(gen_random_uuid())))) from generate_series(1, $2)`;
const RECORD = sessionRecord("3f8b1c52-7a4e-4f0b-9c7d-1e2a3b4c5d6e");

const { values } = parseArgs({ options: { quick: { type: "boolean" } } });

await using cluster = await startServer();
for (const line of [describeHost(), ...(await describeServer(cluster))]) console.log(`- ${line}`);
const url = await createStore(cluster);
await cluster.query(url, "create table public.orders (id uuid primary key, note text)");
await printCommits(values.quick === true ? 3 : 30);
await cluster.query(url, "truncate bellwire.inbox");
const emptyMs = await look("empty since long");
await drain();
await using snapshot = await holdSnapshot();
await drain("with an open snapshot");
await look("empty, after that");
await snapshot.release();
console.log(`gate: an idle look costs the server at most ${LOOK_MS_MAX} ms`);
if (emptyMs > LOOK_MS_MAX) process.exitCode = 1;

async function printCommits(seconds: number): Promise<void> {
  head(`the product's transactions, ${SESSIONS} sessions`, "commits/s");
  const ways = {
    "its own row": async (client: pg.Client) => void (await client.query(OWN_ROW)),
    "its own row, and emitting": async (client: pg.Client) => {
      await client.query(OWN_ROW);
      await client.query({ name: "emit", text: EMIT, values: [ACCOUNT, RECORD] });
    },
    "the same with a NOTIFY, which we leave out": async (client: pg.Client) => {
      await client.query(OWN_ROW);
      await client.query({ name: "emit", text: EMIT, values: [ACCOUNT, RECORD] });
      await client.query("notify bench_inbox");
    },
  };
  for (const [name, work] of Object.entries(ways)) {
    const perSecond = await committedPerSecond(seconds, work);
    row(name, count(Math.round(perSecond)));
  }
  console.log("");
}

async function committedPerSecond(seconds: number, work: (client: pg.Client) => Promise<void>) {
  const untilMs = performance.now() + seconds * 1_000;
  let committed = 0;
  const clients = await Promise.all(Array.from({ length: SESSIONS }, () => openSession(url)));
  await Promise.all(
    clients.map(async (client) => {
      while (performance.now() < untilMs) {
        await client.query("begin");
        await work(client);
        await client.query("commit");
        committed += 1;
      }
      await client.end();
    }),
  );
  return committed / seconds;
}

/** Gives the server's milliseconds a look, planning included. */
async function look(name: string): Promise<number> {
  await using store = (await openStore(url)).store;
  await forgetStatements(cluster, url);
  const startedMs = performance.now();
  for (let n = 0; n < LOOKS; n += 1) await claimNothing(store);
  const wholeMs = (performance.now() - startedMs) / LOOKS;
  const found = (await listStatements(cluster, url)).find(({ text }) => text.includes("from inbox where due_at"));
  if (found === undefined) throw new Error("the server was not asked for a due record");
  head("a look into the inbox", "plan ms", "run ms", "there and back ms");
  row(name, found.planMs.toFixed(3), found.runMs.toFixed(3), wholeMs.toFixed(2));
  console.log("");
  return found.planMs + found.runMs;
}

async function claimNothing(store: Store): Promise<void> {
  const nowMs = Date.now();
  const claim = { token: "bench", untilMs: nowMs };
  const { records } = await store.claimInboxRecords({ nowMs, claim, recordsMax: 500, bytesMax: 8 * 1024 ** 2 });
  if (records.length > 0) throw new Error("the inbox is not empty");
}

/** One node with all its parts; the account has no webhook, so that this is the way into the log alone. */
async function drain(how = "as ever"): Promise<void> {
  const env = { BELLWIRE_DATABASE: url, BELLWIRE_PORT: "0", BELLWIRE_LOG_LEVEL: "warn" };
  const keys = { encryptionKey: new Uint8Array(32), apiKeys: ["bench"], madeFiles: [] };
  await using app = await createApp({
    config: toValue(readConfig(env)),
    keys,
    log: createLog("warn", openStandardOutput(1, FOR_LOG)),
  });
  await putAccount(app.accounts, makeAccount({ id: ACCOUNT }));
  const product = await openSession(url);
  const emittedMs = performance.now();
  await product.query(EMIT_MANY, [RECORD, RECORDS]);
  const startedMs = performance.now();
  await product.end();
  await app.start();
  for (let left = 1; left > 0;) {
    await pause(20);
    const [counted] = await cluster.query(url, "select count(1) as left from (select 1 from bellwire.inbox limit 1) i");
    left = Number(counted?.["left"]);
  }
  const perSecond = RECORDS / ((performance.now() - startedMs) / 1_000);
  head(`${count(RECORDS)} records in one transaction, one node`, "µs to emit one", "taken/s");
  row(how, (((startedMs - emittedMs) * 1_000) / RECORDS).toFixed(0), count(Math.round(perSecond)));
  console.log("");
}

async function holdSnapshot() {
  const client = await openSession(url);
  await client.query("begin isolation level repeatable read");
  await client.query("select 1 from public.orders limit 1");
  let isHeld = true;
  const release = async (): Promise<void> => {
    if (isHeld) await client.end();
    isHeld = false;
  };
  return { release, [Symbol.asyncDispose]: release };
}
