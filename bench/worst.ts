/**
 * `npm run bench -- worst [--against <commit>] [--only S13] [--store postgres] [--quick]`: what the worst that
 * operators, owners, visitors, receivers and strangers may choose costs the others. Each phase has one row of the
 * review that found it, at the review's rate, beside other accounts with 200 records a second at a healthy receiver:
 * how long their posts and deliveries take, in windows without it and with it, and the service's CPU for one of its
 * records.
 *
 * A window ends when everything has arrived, or 20 s after its last post. A node that owes an answer then is killed,
 * and the next phase has a new one on the same store. `--against` measures that commit's code first. Ends with 1 when a
 * p99 of the code here is above 1.5 times and 20 ms of the one without.
 */
import { openSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { newDiskFolder } from "../test/kit/folder.ts";
import { type Running, startService } from "../test/kit/process/running.ts";
import { startReceiver } from "../test/kit/servers/receiver.ts";
import { pause } from "../test/kit/wait.ts";
import { describeMachine, readMemory } from "./conditions.ts";
import { ASSISTANT, findAccount } from "./many-destinations.ts";
import { type Part, startPart } from "./part.ts";
import { checkOut, HERE, type Tree } from "../test/kit/process/checkout.ts";
import { findSetUp } from "./path/tree.ts";
import { startServer } from "./postgres-server.ts";
import { cpuOfProcess } from "./rig.ts";
import type { FromTraffic, ToTraffic } from "./traffic.ts";
import { quantile } from "./windows.ts";
import { listPhases, type Phase, type Send } from "./worst/phases.ts";
import { declareTypes } from "./worst/declared.ts";

const { values } = parseArgs({
  options: {
    against: { type: "string" },
    only: { type: "string", default: "" },
    store: { type: "string", default: "sqlite" },
    quick: { type: "boolean", default: false },
  },
});
const WINDOW_MS = values.quick ? 3_000 : 4_000;
const ROUNDS = values.quick ? 1 : 3;
const REST_MS = 1_000;
const GRACE_MS = 20_000;
const OTHERS = 50;
const RATE_PER_SECOND = 200;
const LOOK_MS = 200;
const COLUMNS = [
  "Row",
  "sent",
  "intake p50 ms",
  "intake p99 ms",
  "delivery p50 ms",
  "delivery p99 ms",
  "CPU ms each",
  "RSS MB",
  "timer ms",
];
const GATE = { ratio: 1.5, moreMs: 20 } as const;

const folder = newDiskFolder("worst");
for (const line of describeMachine(folder)) console.log(`- ${line}`);
console.log(`- others: ${OTHERS} accounts, ${RATE_PER_SECOND} records/s (open loop) to a healthy receiver`);
console.log(`- ${ROUNDS} windows of ${WINDOW_MS / 1000} s without and as many with, in turns; ${values.store}`);
const trees = values.against === undefined ? [HERE] : [checkOut(values.against, folder), HERE];
const verdicts: boolean[] = [];
for (const tree of trees) verdicts.push(await measure(tree));
process.exit(verdicts.at(-1) === true ? 0 : 1);

interface Scene {
  readonly traffic: Part<ToTraffic, FromTraffic>;
  start(): Promise<Running>;
}

async function measure(tree: Tree): Promise<boolean> {
  await using cluster = values.store === "postgres" ? await startServer() : null;
  await using receiver = await startReceiver();
  using traffic = startPart<ToTraffic, FromTraffic>("traffic.ts");
  const listening = await traffic.next();
  if (listening.kind !== "listening") throw new Error("the traffic's receiver does not listen");
  const phases = (await listPhases(receiver.url)).filter(({ row }) => row.startsWith(values.only));
  if (phases.length === 0) throw new Error(`--only "${values.only}" begins no row's name`);
  const dataDir = join(folder, `data-${tree.name}`);
  const database = await cluster?.createDatabase();
  const where = { dataDir, ...(database === undefined ? {} : { database }) };
  await setUp(tree, where, { phases, healthyUrl: `http://127.0.0.1:${listening.port}/` });
  const env = {
    BELLWIRE_EVENTS: declareTypes(dataDir),
    ...(database === undefined ? {} : { BELLWIRE_DATABASE: database }),
  };
  const program = [join(tree.root, "bin", "bellwire.js"), "serve"];
  const output = openSync(join(dataDir, "log"), "a");
  return await measurePhases(tree, phases, {
    traffic,
    start: () => startService({ dataDir, env, program, output }),
  });
}

interface Accounts {
  readonly phases: readonly Phase[];
  readonly healthyUrl: string;
}

/** An account for each phase, and the others'. */
async function setUp(
  tree: Tree,
  where: { readonly dataDir: string; readonly database?: string },
  { phases, healthyUrl }: Accounts,
): Promise<void> {
  const kit = await findSetUp(tree, false);
  const others = Array.from({ length: OTHERS }, (_, other) => findAccount(other));
  await kit?.setUpAccounts({ ...where, assistants: { [ASSISTANT]: healthyUrl } }, others);
  for (const phase of phases) await kit?.setUpAccounts({ ...where, ...phase.setUp }, [toAccount(phase)]);
}

function toAccount({ row }: Phase): string {
  return row.toLowerCase().replace(" ", "-");
}

async function measurePhases(tree: Tree, phases: readonly Phase[], { traffic, start }: Scene): Promise<boolean> {
  console.log(`\n## ${tree.name}\n`);
  console.log(`| ${COLUMNS.join(" | ")} | |`);
  console.log(`|${"---|".repeat(COLUMNS.length + 1)}`);
  let service = await start();
  const kept: boolean[] = [];
  try {
    await measureWindow(traffic, service);
    for (const phase of phases) {
      const row = await measurePhase(phase, { traffic, service });
      kept.push(printRow(phase, row));
      if (isHung(row)) {
        await service.crash();
        service = await start();
      }
    }
  } finally {
    await service[Symbol.asyncDispose]();
  }
  return kept.every(Boolean);
}

interface Window {
  readonly answersMs: readonly number[];
  readonly waitsMs: readonly number[];
  readonly unanswered: number;
  readonly missing: number;
  /** How late the load's own timer was: what the machine alone did. */
  readonly timerMs: readonly number[];
  readonly cpuSeconds: number;
  readonly rssMb: number;
}

interface Row {
  readonly without: Window[];
  readonly during: Window[];
  /** How often each answer came. */
  readonly answers: Map<string, number>;
  sent: number;
}

interface Measured {
  readonly traffic: Part<ToTraffic, FromTraffic>;
  readonly service: Running;
}

/** Windows without and with it take turns, because the machine's other programs come and go. */
async function measurePhase(phase: Phase, { traffic, service }: Measured): Promise<Row> {
  const send = await phase.prepare(service, toAccount(phase));
  const row: Row = { without: [], during: [], answers: new Map(), sent: 0 };
  for (let round = 0; round < ROUNDS && !isHung(row); round += 1) {
    await pause(REST_MS);
    row.without.push(await measureWindow(traffic, service));
    const stop = sendSteadily(send, phase.perSecond, row);
    row.during.push(await measureWindow(traffic, service));
    phase.end?.();
    await stop();
  }
  return row;
}

function isHung({ during }: Row): boolean {
  return during.some(({ unanswered }) => unanswered > 0);
}

/** Notes in the row what is sent and answered. What it returns ends it, and waits for a node that answers. */
function sendSteadily(send: Send, perSecond: number, row: Row): () => Promise<unknown> {
  const pending: Promise<void>[] = [];
  const ending = new AbortController();
  const sendOne = async (): Promise<void> => {
    row.sent += 1;
    const word = await send(ending.signal).catch(() => "no answer");
    row.answers.set(word, (row.answers.get(word) ?? 0) + 1);
  };
  const sendNext = (): void => void pending.push(sendOne());
  sendNext();
  const timer = setInterval(sendNext, 1_000 / perSecond);
  setTimeout(() => clearInterval(timer), WINDOW_MS - 1);
  return () => {
    if (isHung(row)) ending.abort();
    return Promise.race([Promise.all(pending), pause(GRACE_MS)]);
  };
}

async function measureWindow(traffic: Part<ToTraffic, FromTraffic>, { url, apiKey, child }: Running): Promise<Window> {
  const cpuBefore = cpuOfProcess(child.pid);
  let rssMb = 0;
  const looks = setInterval(() => (rssMb = Math.max(rssMb, readMemory(child.pid).rssMb)), LOOK_MS);
  const sent = await traffic.ask({
    port: Number(new URL(url).port),
    apiKey,
    destinations: OTHERS,
    measuredFrom: 0,
    measuredTo: OTHERS,
    ratePerSecond: RATE_PER_SECOND,
    durationMs: WINDOW_MS,
    graceMs: GRACE_MS,
  });
  clearInterval(looks);
  if (sent.kind !== "sent") throw new Error("the traffic answered something else");
  const { unanswered, missing } = sent;
  const times = { answersMs: [...sent.answersMs], waitsMs: [...sent.waitsMs], timerMs: [...sent.timerMs] };
  return { ...times, unanswered, missing, cpuSeconds: cpuOfProcess(child.pid) - cpuBefore, rssMb };
}

/** Whether the gates were kept. */
function printRow({ row: name, what }: Phase, row: Row): boolean {
  const pair = (of: "answersMs" | "waitsMs" | "timerMs", share: number): readonly number[] =>
    [row.without, row.during].map((windows) =>
      quantile(
        windows.flatMap((window) => window[of]),
        share,
      ),
    );
  const sum = (windows: readonly Window[], of: "cpuSeconds" | "missing" | "unanswered") =>
    windows.reduce((total, window) => total + window[of], 0);
  const most = (windows: readonly Window[]) => Math.max(...windows.map(({ rssMb }) => rssMb));
  const show = (figures: readonly number[], digits = 1) => figures.map((one) => one.toFixed(digits)).join(" → ");
  const tails = [pair("answersMs", 0.99), pair("waitsMs", 0.99)];
  const isKept = tails.every(([before = 0, now = 0]) => now <= Math.max(GATE.ratio * before, before + GATE.moreMs));
  const cpuMs = ((sum(row.during, "cpuSeconds") - sum(row.without, "cpuSeconds")) * 1_000) / row.sent;
  const unanswered = sum(row.during, "unanswered");
  const missing = sum(row.during, "missing");
  const cells = [
    `${name}: ${what}`,
    [...row.answers].map(([word, count]) => `${count} × ${word}`).join(", "),
    show(pair("answersMs", 0.5)),
    show(tails[0] ?? []),
    show(pair("waitsMs", 0.5)),
    show(tails[1] ?? []),
    `${isHung(row) ? "above " : ""}${cpuMs.toFixed(1)}`,
    show([most(row.without), most(row.during)], 0),
    show(pair("timerMs", 0.99)),
    isHung(row) ? `no answer in ${GRACE_MS / 1_000} s to ${unanswered}` : isKept ? "kept" : "MISSED",
  ];
  console.log(`| ${cells.join(" | ")} |${missing > 0 ? ` ${missing} not delivered` : ""}`);
  return isKept;
}
