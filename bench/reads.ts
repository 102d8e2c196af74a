/**
 * `npm run bench -- reads`: what 50 reads a second by a program change of intake's answers. The same posts at the same
 * rate without and with them, in turns, on a service whose log has 100,000 deliveries. Every read route and filter has
 * its turn; two keys share them, as one may make 50 calls a second. `--quick` has 10,000 and two rounds. `--history
 * <folder>` reads the million deliveries that `node bench/log.ts --million --keep <folder>` has left there, of an
 * account beside the one that is posted to; with `--postgres` that of PostgreSQL.
 *
 * Ends with 1 when intake's p99 grows by more than a fifth, by the median of the rounds, or when a read takes more than
 * 100 ms at its 95th percentile.
 */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { rotateSecret } from "../src/accounts/rotate-secret.ts";
import { daysMs } from "../src/lib/duration.ts";
import { newDiskFolder } from "../test/kit/folder.ts";
import { openApp, setUpAccount } from "../test/kit/process/account.ts";
import { ACCOUNT, type Running, startService } from "../test/kit/process/running.ts";
import type { Cluster } from "../test/kit/servers/postgres.ts";
import { pause } from "../test/kit/wait.ts";
import { type Caller, openCaller } from "./caller.ts";
import { describeMachine } from "./conditions.ts";
import { type MadeAccount, PAUSED } from "./log-history.ts";
import { startServer } from "./postgres-server.ts";
import { demoName } from "./record.ts";
import { type Rig, sendAndAwait, startRig } from "./rig.ts";

const isQuick = process.argv.includes("--quick");
const HISTORY_MS = isQuick ? 3_000 : 30_000;
const ROUNDS = isQuick ? 2 : 5;
const MEASURED_MS = isQuick ? 4_000 : 10_000;
const POSTS_PER_SECOND = 200;
const READS_PER_SECOND = 50;
const DESTINATIONS = 8;
const CONNECTIONS = 32;
const CALLERS = 4;
const GROWTH_MAX = 1.2;
const READ_MS_MAX = 100;

const keptIn = optionOf("--history");
/** What `--million` of `log.ts` makes. */
const KEPT_DESTINATIONS = 500;
const KEPT_DELIVERIES = 1_000_000;
const folder = newDiskFolder("reads");
process.exit((await measure()) ? 0 : 1);

async function measure(): Promise<boolean> {
  for (const line of describeMachine(folder)) console.log(`- ${line}`);
  using rig = await startRig();
  await using history = await openHistory();
  const { dataDir, database } = history;
  const numbers = Array.from({ length: DESTINATIONS }, (_, destination) => destination);
  const alerts = numbers.map((number) => ({
    url: `http://127.0.0.1:${rig.port}/in/${number}`,
    demos: [demoName(number)],
  }));
  // A history that is kept knows what was posted by an earlier run.
  const accountId = keptIn === undefined ? ACCOUNT : `${ACCOUNT}-${Date.now()}`;
  await setUpAccount({ dataDir, accountId, alerts, ...(database === undefined ? {} : { database }) });
  const env = database === undefined ? {} : { BELLWIRE_DATABASE: database };
  await using service = await startService({ dataDir, env, output: openSync(join(folder, "log"), "w") });
  const shape = { accounts: [accountId], destinations: DESTINATIONS, connections: CONNECTIONS };
  const job = { ...shape, ports: [Number(new URL(service.url).port)], apiKey: service.apiKey };
  const fill = (durationMs: number, firstSequence: number) =>
    rig.load.ask({ kind: "closed", ...job, batch: 100, firstSequence, durationMs });
  const { done } = await sendAndAwait(rig, { send: fill, durationMs: keptIn === undefined ? HISTORY_MS : 1_000 });
  const deliveries = keptIn === undefined ? done.records : KEPT_DELIVERIES;
  console.log(`- a log of ${deliveries} deliveries; ${POSTS_PER_SECOND} posts/s, ${READS_PER_SECOND} reads/s`);
  const post = (durationMs: number, firstSequence: number) =>
    rig.load.ask({ kind: "open", ...job, batch: 1, ratePerSecond: POSTS_PER_SECOND, firstSequence, durationMs });
  const readers = await openReaders(service, history.accountId);
  await postFor(rig, post);
  const growth = await measureRounds(rig, post, readers);
  const slowestMs = describeReads(readers);
  const isGood = growth <= GROWTH_MAX && slowestMs <= READ_MS_MAX;
  console.log(
    `\nintake's p99 × ${growth.toFixed(2)}, gate × ${GROWTH_MAX}; slowest read's p95 ${slowestMs.toFixed(1)} ms, ` +
      `gate ${READ_MS_MAX} ms: ${isGood ? "kept" : "MISSED"}`,
  );
  return isGood;
}

/** By the median of the rounds. */
async function measureRounds(rig: Rig, post: Post, readers: Readers): Promise<number> {
  console.log("\n| Round | post p50 | post p99 | with reads: p50 | p99 | growth of p99 | read p95 |");
  console.log("|---|---|---|---|---|---|---|");
  const growths: number[] = [];
  for (let round = 1; round <= ROUNDS; round += 1) {
    const alone = await postFor(rig, post);
    const reading = read(readers);
    const beside = await postFor(rig, post);
    const readsMs = await reading.stop();
    const growth = at(beside, 0.99) / at(alone, 0.99);
    growths.push(growth);
    const figures = [at(alone, 0.5), at(alone, 0.99), at(beside, 0.5), at(beside, 0.99)].map((ms) => ms.toFixed(1));
    console.log(`| ${[round, ...figures, growth.toFixed(2), at(readsMs, 0.95).toFixed(1)].join(" | ")} |`);
  }
  return at(growths, 0.5);
}

/** The slowest one's 95th percentile. */
function describeReads({ paths, tookMs }: Readers): number {
  console.log("\n| Read, beside posts | count | p50 ms | p95 ms |\n|---|---|---|---|");
  const p95s = paths.map((path) => {
    const took = tookMs.get(path) ?? [];
    console.log(`| ${[path, took.length, at(took, 0.5).toFixed(1), at(took, 0.95).toFixed(1)].join(" | ")} |`);
    return at(took, 0.95);
  });
  return Math.max(...p95s);
}

interface History extends AsyncDisposable {
  readonly dataDir: string;
  readonly database?: string;
  /** Whose log is read. */
  readonly accountId: string;
}

async function openHistory(): Promise<History> {
  const dataDir = join(keptIn ?? folder, "data");
  const close = () => Promise.resolve();
  if (keptIn === undefined) return { dataDir, accountId: ACCOUNT, [Symbol.asyncDispose]: close };
  const isPostgres = process.argv.includes("--postgres");
  const base = join(resolve(keptIn), isPostgres ? `${KEPT_DESTINATIONS}` : `${KEPT_DESTINATIONS}.db`);
  const { account } = JSON.parse(readFileSync(`${base}.json`, "utf8")) as { readonly account: MadeAccount };
  const cluster = isPostgres ? await startServer(base) : null;
  const database = cluster === null ? `sqlite:${base}` : await findDatabase(cluster);
  makeKey(dataDir);
  await makeReadable({ dataDir, database }, account);
  return {
    dataDir,
    database,
    accountId: account.id,
    [Symbol.asyncDispose]: async () => await cluster?.[Symbol.asyncDispose](),
  };
}

/** Its name has the number of the process that made it. */
async function findDatabase(cluster: Cluster): Promise<string> {
  const databases = "select datname from pg_database where datname like 'test%'";
  const [made] = await cluster.query(cluster.toUrl("postgres"), databases);
  return cluster.toUrl(String(made?.["datname"]));
}

/** The database was made without a key, so that any may be its own. */
function makeKey(dataDir: string): void {
  const path = join(dataDir, "encryption-key");
  if (existsSync(path)) return;
  mkdirSync(dataDir, { recursive: true });
  writeFileSync(path, randomBytes(32).toString("base64"), { mode: 0o600 });
}

/** Its secret is one that can be opened, and nothing of it is sent while it is read. */
async function makeReadable(place: { readonly dataDir: string; readonly database: string }, account: MadeAccount) {
  await using app = await openApp(place);
  const destinationId = account.destinations[PAUSED]?.id ?? "";
  const by = { person: "bench", role: "owner" } as const;
  const pausing = { accountId: account.id, destinationId, state: "paused", by, reason: "bench" } as const;
  await app.store.setDestinationState({ ...pausing, nowMs: Date.now() });
  await rotateSecret(app.accounts, { accountId: account.id, overlap: "none", by });
}

function optionOf(name: string): string | undefined {
  const place = process.argv.indexOf(name);
  return place === -1 ? undefined : process.argv[place + 1];
}

type Post = Parameters<typeof sendAndAwait>[1]["send"];

/** How long each post waited for its answer. */
async function postFor(rig: Rig, post: Post): Promise<readonly number[]> {
  const { done } = await sendAndAwait(rig, { send: post, durationMs: MEASURED_MS });
  return [...done.answeredAtMs].map((answeredAtMs, place) => answeredAtMs - (done.atMs[place] ?? 0));
}

function at(values: readonly number[], share: number): number {
  return values.toSorted((one, other) => one - other)[Math.ceil(values.length * share) - 1] ?? Number.NaN;
}

interface Readers {
  readonly callers: readonly Caller[];
  readonly paths: readonly string[];
  /** In turn. */
  readonly requests: readonly { readonly path: string; readonly bytes: Buffer }[];
  /** How long each read of a path took, from its turn on. */
  readonly tookMs: Map<string, number[]>;
}

async function openReaders(service: Running, accountId: string): Promise<Readers> {
  const keys = await Promise.all(["one", "other"].map((name) => makeReadKey(service, accountId, name)));
  const first = await readJson(service, keys[0] ?? "", `${accountId}/deliveries`);
  const [{ id = "", webhook = { id: "" } } = {}] = first["deliveries"] as { id?: string; webhook?: { id: string } }[];
  const paths = [
    "deliveries",
    "deliveries?status=delivered",
    "deliveries?status=failed,retrying",
    "deliveries?status=waiting",
    "deliveries?status=cancelled",
    "deliveries?event=demo_viewed",
    `deliveries?webhook=${webhook.id}`,
    "deliveries?person=jane",
    "deliveries?person=nobody",
    "deliveries?since=2026-01-01T00:00:00Z",
    `deliveries?until=${new Date(Date.now() - daysMs(3)).toISOString()}`,
    `deliveries/${id}`,
    "events",
    "events?event=demo_viewed",
    "events?person=nobody",
    `events/${id}`,
    "webhooks",
  ];
  const requests = paths.flatMap((path) =>
    keys.map((key) => ({ path, bytes: toRequest(key, `${accountId}/${path}`) })),
  );
  const callers = await Promise.all(
    Array.from({ length: CALLERS }, () => openCaller(Number(new URL(service.url).port))),
  );
  return { callers, paths, requests, tookMs: new Map() };
}

function toRequest(key: string, path: string): Buffer {
  const head = `GET /v1/accounts/${path} HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer ${key}`;
  return Buffer.from(`${head}\r\n\r\n`);
}

async function makeReadKey({ url, apiKey }: Running, accountId: string, name: string): Promise<string> {
  const headers = { authorization: `Bearer ${apiKey}`, "content-type": "application/json" };
  const body = JSON.stringify({ name });
  const made = await fetch(`${url}/v1/accounts/${accountId}/read-keys`, { method: "POST", headers, body });
  return ((await made.json()) as { key: string }).key;
}

async function readJson({ url }: Running, key: string, path: string): Promise<Record<string, unknown>> {
  const answer = await fetch(`${url}/v1/accounts/${path}`, { headers: { authorization: `Bearer ${key}` } });
  return (await answer.json()) as Record<string, unknown>;
}

/** Until it is stopped: which gives how long each read took from its turn on. */
function read({ callers, requests, tookMs: ofPaths }: Readers): { readonly stop: () => Promise<readonly number[]> } {
  const idle = [...callers];
  const tookMs: number[] = [];
  const startedMs = performance.now();
  let begun = 0;
  const sendDue = (): void => {
    const due = ((performance.now() - startedMs) * READS_PER_SECOND) / 1000;
    while (begun < due && idle.length > 0) {
      const caller = idle.pop();
      const request = requests[begun % requests.length];
      if (caller === undefined || request === undefined) return;
      const dueMs = startedMs + (begun * 1000) / READS_PER_SECOND;
      begun += 1;
      const ofPath = ofPaths.get(request.path) ?? [];
      ofPaths.set(request.path, ofPath);
      caller.send(request.bytes, (status, answer) => {
        assert.equal(status, 200, answer.toString("utf8").slice(0, 500));
        tookMs.push(performance.now() - dueMs);
        ofPath.push(performance.now() - dueMs);
        idle.push(caller);
      });
    }
  };
  const timer = setInterval(sendDue, 2);
  return {
    async stop() {
      clearInterval(timer);
      while (tookMs.length < begun) await pause(5);
      return tookMs;
    },
  };
}
