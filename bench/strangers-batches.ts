/**
 * The second half of `strangers.ts`: batches that are made to be expensive, from a caller with an intake key. The
 * service itself says how much each costs.
 */
import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import type { Running } from "../test/kit/process/running.ts";
import { openCaller } from "./caller.ts";
import { postRequest } from "./strangers-requests.ts";
import { demoViewed } from "../src/events/demo-viewed.ts";

const ROUNDS = 7;
const RECORDS = 1_000;
const MiB = 1024 * 1024;
/** Until what a batch left behind has been cleared away. */
const REST_MS = 500;

interface Batch {
  readonly what: string;
  readonly body: () => Buffer;
  readonly statuses: readonly number[];
  readonly cpuMsMax: number | null;
  readonly stallMsMax: number | null;
  readonly answerBytesMax: number;
}

const { example } = demoViewed;
const unknownKeys = Object.fromEntries(Array.from({ length: 300 }, (_, key) => [`unknown_field_${key}`, key]));
const wrong = `${JSON.stringify({ ...example, ...unknownKeys })}\n`;
const goodLine = (): string => `${JSON.stringify({ ...example, id: randomUUID() })}\n`;
const times = (count: number, line: () => string): Buffer => Buffer.from(Array.from({ length: count }, line).join(""));

/** An account without webhooks, so that batches cost what taking them costs and nothing else. */
const QUIET_ACCOUNT = "acct-quiet";

/** Has the service take so many batches of good records. */
export async function warmUp({ url, apiKey }: Running, batches: number): Promise<void> {
  const path = `${url}/v1/accounts/${QUIET_ACCOUNT}`;
  const authorization = `Bearer ${apiKey}`;
  const account = JSON.stringify({ name: "Quiet", plan: "free", app_url: "https://app.example.com" });
  const json = { authorization, "content-type": "application/json" };
  await fetch(path, { method: "PUT", headers: json, body: account });
  for (let count = 0; count < batches; count += 1) {
    const headers = { authorization, "content-type": "application/x-ndjson" };
    const answer = await fetch(`${path}/demo-sessions`, { method: "POST", headers, body: times(RECORDS, goodLine) });
    if (!answer.ok) throw new Error(`a good batch was answered ${answer.status}: ${await answer.text()}`);
    await answer.text();
  }
}

const BATCHES: readonly Batch[] = [
  {
    what: "8 MiB of one-character lines",
    body: () => Buffer.alloc(8 * MiB, "1\n"),
    statuses: [413, 400],
    cpuMsMax: 50,
    stallMsMax: 50,
    answerBytesMax: 1_024,
  },
  {
    what: "8 MiB of blank lines",
    body: () => Buffer.alloc(8 * MiB, "\n"),
    statuses: [413],
    cpuMsMax: null,
    stallMsMax: 50,
    answerBytesMax: 1_024,
  },
  {
    what: "1,000 records with 300 unknown keys each",
    body: () => times(RECORDS, () => wrong),
    statuses: [200],
    cpuMsMax: null,
    stallMsMax: 50,
    answerBytesMax: MiB,
  },
  {
    what: "1,000 good records, for comparison",
    body: () => times(RECORDS, goodLine),
    statuses: [200],
    cpuMsMax: null,
    stallMsMax: null,
    answerBytesMax: MiB,
  },
];

interface Cost {
  readonly status: number;
  readonly answerBytes: number;
  readonly wallMs: number;
  readonly cpuMs: number;
  readonly stallMs: number;
}

/** One claim for each batch: it was kept. */
export async function sendBatches(service: Running): Promise<boolean[]> {
  const asWatched = watchedBy(service);
  console.log(`Batches, ${ROUNDS} rounds after one that is not counted; the median, and the least and most:\n`);
  console.log("| Batch | MiB | status | answer KiB | wall ms | CPU ms | longest stall ms |");
  console.log("|---|---|---|---|---|---|---|");
  await printIdle(asWatched.idle);
  const kept: boolean[] = [];
  for (const batch of BATCHES) {
    const costs: Cost[] = [];
    for (let round = 0; round <= ROUNDS; round += 1) costs.push(await asWatched.send(batch.body()));
    kept.push(report(batch, costs.slice(1)));
  }
  return kept;
}

function report({ what, body, ...batch }: Batch, costs: readonly Cost[]): boolean {
  const spread = (value: (cost: Cost) => number): { readonly median: number; readonly text: string } => {
    const sorted = costs.map(value).toSorted((a, b) => a - b);
    const median = sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
    const text = `${median.toFixed(1)} (${sorted[0]?.toFixed(1)} to ${sorted.at(-1)?.toFixed(1)})`;
    return { median, text };
  };
  const [wall, cpu, stall] = [
    spread((cost) => cost.wallMs),
    spread((cost) => cost.cpuMs),
    spread((cost) => cost.stallMs),
  ];
  const statuses = [...new Set(costs.map(({ status }) => status))];
  const answerBytes = Math.max(...costs.map((cost) => cost.answerBytes));
  const cells = [what, (body().length / MiB).toFixed(1), statuses.join(", "), (answerBytes / 1024).toFixed(1)];
  console.log(`| ${[...cells, wall.text, cpu.text, stall.text].join(" | ")} |`);
  const isBelow = (value: number, max: number | null): boolean => max === null || value < max;
  return (
    statuses.every((status) => batch.statuses.includes(status)) &&
    answerBytes <= batch.answerBytesMax &&
    isBelow(cpu.median, batch.cpuMsMax) &&
    isBelow(stall.median, batch.stallMsMax)
  );
}

interface Watched {
  send(body: Buffer): Promise<Cost>;
  /** What the machine does to a service that has nothing to do. */
  idle(ms: number): Promise<Pick<Cost, "cpuMs" | "stallMs">>;
}

async function printIdle(idle: Watched["idle"]): Promise<void> {
  const stalls: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) stalls.push((await idle(REST_MS)).stallMs);
  const [least, most] = [Math.min(...stalls), Math.max(...stalls)].map((ms) => ms.toFixed(1));
  console.log(`| nothing, for ${REST_MS} ms | | | | | | ${least} to ${most} |`);
}

function watchedBy(service: Running): Watched {
  let watched = 0;
  const watch = async (): Promise<Pick<Cost, "cpuMs" | "stallMs">> => {
    watched += 1;
    service.child.kill("SIGUSR2");
    const [, json = ""] = await service.child.err.match(new RegExp(`^watched ${watched} (.*)$`));
    return JSON.parse(json) as Pick<Cost, "cpuMs" | "stallMs">;
  };
  const send = async (body: Buffer): Promise<Cost> => {
    const { apiKey, url } = service;
    const caller = await openCaller(Number(new URL(url).port));
    const path = `/v1/accounts/${QUIET_ACCOUNT}/demo-sessions`;
    const request = postRequest(path, { apiKey, type: "application/x-ndjson", body });
    await pause(REST_MS);
    await watch();
    const startedMs = performance.now();
    const { promise, resolve } = Promise.withResolvers<Pick<Cost, "status" | "answerBytes">>();
    caller.send(request, (status, answer) => resolve({ status, answerBytes: answer.length }));
    const answered = await promise;
    const wallMs = performance.now() - startedMs;
    const cost = { ...answered, wallMs, ...(await watch()) };
    caller.close();
    return cost;
  };
  const idle: Watched["idle"] = async (ms) => {
    await watch();
    await pause(ms);
    return await watch();
  };
  return { send, idle };
}
