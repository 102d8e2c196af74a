/**
 * `npm run bench -- reads`: what 50 reads a second by a program change of intake's answers. The same posts at the same
 * rate without and with them, in turns, on a service whose log has 100,000 deliveries. Every read route and filter has
 * its turn; two keys share them, as one may make 50 calls a second. `--quick` has 10,000 and two rounds.
 *
 * Ends with 1 when intake's p99 grows by more than a fifth, by the median of the rounds.
 */
import assert from "node:assert/strict";
import { openSync } from "node:fs";
import { join } from "node:path";
import { newDiskFolder } from "../test/kit/folder.ts";
import { setUpAccount } from "../test/kit/process/account.ts";
import { ACCOUNT, type Running, startService } from "../test/kit/process/running.ts";
import { pause } from "../test/kit/wait.ts";
import { type Caller, openCaller } from "./caller.ts";
import { describeMachine } from "./conditions.ts";
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

const folder = newDiskFolder("reads");
process.exit((await measure()) ? 0 : 1);

async function measure(): Promise<boolean> {
  for (const line of describeMachine(folder)) console.log(`- ${line}`);
  using rig = await startRig();
  const numbers = Array.from({ length: DESTINATIONS }, (_, destination) => destination);
  const alerts = numbers.map((number) => ({
    url: `http://127.0.0.1:${rig.port}/in/${number}`,
    demos: [demoName(number)],
  }));
  const dataDir = join(folder, "data");
  await setUpAccount({ dataDir, alerts });
  await using service = await startService({ dataDir, output: openSync(join(folder, "log"), "w") });
  const shape = { accounts: [ACCOUNT], destinations: DESTINATIONS, connections: CONNECTIONS };
  const job = { ...shape, ports: [Number(new URL(service.url).port)], apiKey: service.apiKey };
  const fill = (durationMs: number, firstSequence: number) =>
    rig.load.ask({ kind: "closed", ...job, batch: 100, firstSequence, durationMs });
  const { done } = await sendAndAwait(rig, { send: fill, durationMs: HISTORY_MS });
  console.log(`- a log of ${done.records} deliveries; ${POSTS_PER_SECOND} posts/s, ${READS_PER_SECOND} reads/s`);
  const post = (durationMs: number, firstSequence: number) =>
    rig.load.ask({ kind: "open", ...job, batch: 1, ratePerSecond: POSTS_PER_SECOND, firstSequence, durationMs });
  const readers = await openReaders(service);
  await postFor(rig, post);
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
  const growth = at(growths, 0.5);
  const isGood = growth <= GROWTH_MAX;
  console.log(`\nintake's p99 × ${growth.toFixed(2)}; gate × ${GROWTH_MAX}: ${isGood ? "kept" : "MISSED"}`);
  return isGood;
}

/** How long each post waited for its answer. */
async function postFor(rig: Rig, post: Parameters<typeof sendAndAwait>[1]["send"]): Promise<readonly number[]> {
  const { done } = await sendAndAwait(rig, { send: post, durationMs: MEASURED_MS });
  return [...done.answeredAtMs].map((answeredAtMs, place) => answeredAtMs - (done.atMs[place] ?? 0));
}

function at(values: readonly number[], share: number): number {
  return values.toSorted((one, other) => one - other)[Math.ceil(values.length * share) - 1] ?? Number.NaN;
}

interface Readers {
  readonly callers: readonly Caller[];
  /** In turn. */
  readonly requests: readonly Buffer[];
}

async function openReaders(service: Running): Promise<Readers> {
  const keys = await Promise.all(["one", "other"].map((name) => makeKey(service, name)));
  const first = await readJson(service, keys[0] ?? "", "deliveries");
  const [{ id = "", webhook = { id: "" } } = {}] = first["deliveries"] as { id?: string; webhook?: { id: string } }[];
  const paths = [
    "deliveries",
    "deliveries?status=delivered",
    "deliveries?status=failed,retrying",
    "deliveries?event=demo_viewed",
    `deliveries?webhook=${webhook.id}`,
    "deliveries?person=jane",
    "deliveries?person=nobody",
    "deliveries?since=2026-01-01T00:00:00Z",
    `deliveries/${id}`,
    `events/${id}`,
    "webhooks",
  ];
  const requests = paths.flatMap((path) => keys.map((key) => toRequest(key, path)));
  const callers = await Promise.all(
    Array.from({ length: CALLERS }, () => openCaller(Number(new URL(service.url).port))),
  );
  return { callers, requests };
}

function toRequest(key: string, path: string): Buffer {
  const head = `GET /v1/accounts/${ACCOUNT}/${path} HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer ${key}`;
  return Buffer.from(`${head}\r\n\r\n`);
}

async function makeKey({ url, apiKey }: Running, name: string): Promise<string> {
  const headers = { authorization: `Bearer ${apiKey}`, "content-type": "application/json" };
  const body = JSON.stringify({ name });
  const made = await fetch(`${url}/v1/accounts/${ACCOUNT}/read-keys`, { method: "POST", headers, body });
  return ((await made.json()) as { key: string }).key;
}

async function readJson({ url }: Running, key: string, path: string): Promise<Record<string, unknown>> {
  const answer = await fetch(`${url}/v1/accounts/${ACCOUNT}/${path}`, { headers: { authorization: `Bearer ${key}` } });
  return (await answer.json()) as Record<string, unknown>;
}

/** Until it is stopped: which gives how long each read took from its turn on. */
function read({ callers, requests }: Readers): { readonly stop: () => Promise<readonly number[]> } {
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
      caller.send(request, (status, answer) => {
        assert.equal(status, 200, answer.toString("utf8").slice(0, 500));
        tookMs.push(performance.now() - dueMs);
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
