/**
 * The cost of emitting inside the product's own transactions: the product's commits without it and with it (and with
 * the NOTIFY that we leave out), a node's look into an inbox that is empty, and how fast one node empties a full one;
 * the last two also while somebody holds a snapshot open, so that nothing that is gone can be cleared away.
 */
import type pg from "pg";
import { putAccount } from "../../src/accounts/put-account.ts";
import { createApp } from "../../src/app.ts";
import { readConfig } from "../../src/config/config.ts";
import { FOR_LOG, createLog } from "../../src/observe/log.ts";
import { openStandardOutput } from "../../src/observe/standard-output.ts";
import type { Store } from "../../src/store/contract/store.ts";
import { makeAccount } from "../../test/kit/make.ts";
import { sessionRecord } from "../../test/kit/process/records.ts";
import { toValue } from "../../test/kit/world/world.ts";
import { type Bench, count, head, type Measurement, row } from "./measurement.ts";
import { createStore, forgetStatements, listStatements, openSession, openStore } from "./server.ts";
import { pause } from "../../test/kit/wait.ts";

const ACCOUNT = "acct-bench";
const SESSIONS = 8;
const LOOKS = 400;
const RECORDS = 20_000;
/** Source: the gate for an idle claim of deliveries. */
const LOOK_MS_MAX = 1;

export const outbox: Measurement = {
  name: "outbox",
  minutes: ({ seconds }) => (3 * seconds) / 60 + 1,
  async run(bench) {
    const url = await createStore(bench.cluster);
    await bench.cluster.query(url, "create table public.orders (id uuid primary key, note text)");
    await commits(bench, url);
    await bench.cluster.query(url, "truncate bellwire.inbox");
    const emptyMs = await looks(bench, url, "empty since long");
    await drain(bench, url);
    await using snapshot = await holdSnapshot(url);
    await drain(bench, url, "with an open snapshot");
    await looks(bench, url, "empty, after that");
    await snapshot.release();
    console.log(`gate: an idle look costs the server at most ${LOOK_MS_MAX} ms\n`);
    return emptyMs <= LOOK_MS_MAX;
  },
};

const OWN_ROW = "insert into public.orders values (gen_random_uuid(), 'x')";
const EMIT = "select bellwire.emit_demo_session($1, $2)";

async function commits({ sizes }: Bench, url: string): Promise<void> {
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
    const perSecond = await committedPerSecond(url, sizes.seconds, work);
    row(name, count(Math.round(perSecond)));
  }
  console.log("");
}

const RECORD = sessionRecord("3f8b1c52-7a4e-4f0b-9c7d-1e2a3b4c5d6e");

async function committedPerSecond(url: string, seconds: number, work: (client: pg.Client) => Promise<void>) {
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
async function looks({ cluster }: Bench, url: string, name: string): Promise<number> {
  await using store = (await openStore(url)).store;
  await forgetStatements(cluster, url);
  const startedMs = performance.now();
  for (let look = 0; look < LOOKS; look += 1) await claimNothing(store);
  const wholeMs = (performance.now() - startedMs) / LOOKS;
  const found = (await listStatements(cluster, url)).find(({ text }) => text.startsWith("with due as materialized"));
  const serverMs = found === undefined ? Number.NaN : found.planMs + found.runMs;
  head("a look into the inbox", "plan ms", "run ms", "there and back ms");
  row(name, (found?.planMs ?? 0).toFixed(3), (found?.runMs ?? 0).toFixed(3), wholeMs.toFixed(2));
  console.log("");
  return serverMs;
}

async function claimNothing(store: Store): Promise<void> {
  const nowMs = Date.now();
  const claim = { token: "bench", untilMs: nowMs };
  const { records } = await store.claimInboxRecords({ nowMs, claim, recordsMax: 500, bytesMax: 8 * 1024 ** 2 });
  if (records.length > 0) throw new Error("the inbox is not empty");
}

const EMIT_MANY = `select count(bellwire.emit_demo_session('${ACCOUNT}',
  jsonb_set($1, '{id}', to_jsonb(gen_random_uuid())))) from generate_series(1, $2)`;

/** One node with all its parts; the account has no webhook, so that this is the way into the log alone. */
async function drain({ cluster }: Bench, url: string, how = "as ever"): Promise<void> {
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

async function holdSnapshot(url: string) {
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
