/**
 * `npm run bench -- cold`: what a webhook costs where each of 10,000 destinations gets one now and then, so that most
 * find no open socket: in clear and over TLS, beside undici alone doing the same, in one run. Three subjects, each a
 * process of its own: undici alone, Bellwire's sender alone, and the whole service, to which records are posted.
 * Destinations have their own account, name and socket. `--quick` is a sanity run; `--mode tls` runs the modes whose
 * names contain the word, or the one of that name; `--subject sender` measures that one; `--turns 2` all of them twice.
 *
 * Ends with 1 when the whole service costs more than twice what undici alone does, in the first mode.
 */
import assert from "node:assert/strict";
import { openSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { newDiskFolder } from "../test/kit/folder.ts";
import { drained, type Running, startService } from "../test/kit/process/running.ts";
import type { FromColdCaller, ToColdCaller } from "./cold/caller.ts";
import { toHost } from "./cold/order.ts";
import type { FromColdReceiver, ToColdReceiver } from "./cold/receiver.ts";
import { describeMachine, readCpuSeconds } from "./conditions.ts";
import { setUpDestinations } from "./many-destinations.ts";
import { type NameServer, startNameServer } from "./name-server.ts";
import { type Part, startPart } from "./part.ts";
import { head, row } from "./markdown.ts";

const { values } = parseArgs({
  options: {
    quick: { type: "boolean", default: false },
    mode: { type: "string", default: "" },
    subject: { type: "string", default: "undici,sender,service" },
    turns: { type: "string", default: "1" },
  },
});
const DESTINATIONS = values.quick ? 3_000 : 10_000;
/** A destination's turn comes after 10 s, when a socket that its receiver promised nothing about is closed (4 s). */
const RATE_PER_SECOND = values.quick ? 500 : 1_000;
const TURNS = Number(values.turns);
const GATE = 2;

interface Mode {
  readonly name: string;
  readonly isTls: boolean;
  readonly keepAliveSeconds: number | null;
  readonly resumes: boolean;
  /** Of each ten destinations one gets half of the webhooks. */
  readonly hasBusy: boolean;
}

const plain = { isTls: false, keepAliveSeconds: null, resumes: true, hasBusy: false };
const MODES: readonly Mode[] = [
  { ...plain, name: "http" },
  { ...plain, name: "http, kept 30 s", keepAliveSeconds: 30, hasBusy: true },
  { ...plain, name: "tls, resumed", isTls: true },
  { ...plain, name: "tls, not resumed", isTls: true, resumes: false },
];
type Subject = ToColdCaller["kind"];
const SUBJECTS = (["undici", "sender", "service"] as const).filter((subject) => values.subject.includes(subject));

interface Rig {
  readonly folder: string;
  readonly names: NameServer;
  readonly receiver: Part<ToColdReceiver, FromColdReceiver>;
  readonly ports: { readonly plainPort: number; readonly tlsPort: number };
  /** The number of the next record: the service takes each only once. */
  nextRecord: number;
}

const folder = newDiskFolder("cold");
process.exit((await measure()) ? 0 : 1);

async function measure(): Promise<boolean> {
  await using names = await startNameServer();
  using receiver = startPart<ToColdReceiver, FromColdReceiver>("cold/receiver.ts");
  const ports = await receiver.next();
  assert(ports.kind === "listening");
  const rig: Rig = { folder, names, receiver, ports, nextRecord: 0 };
  const named = MODES.filter(({ name }) => name === values.mode);
  const modes = named.length > 0 ? named : MODES.filter(({ name }) => name.includes(values.mode));
  printConditions();
  if (SUBJECTS.includes("service")) await setUp(rig, modes);
  head("Mode", "What", "CPU µs a webhook", "ratio", "by part", "connections", "resumed", "in flight");
  const ratios: number[] = [];
  for (let turn = 0; turn < TURNS; turn += 1) for (const mode of modes) ratios.push(await compare(rig, mode));
  const [first = Number.NaN] = ratios;
  console.log(`\nthe service to undici alone, ${modes[0]?.name}: ${first.toFixed(2)}; gate ${GATE}`);
  return !(first > GATE);
}

function printConditions(): void {
  for (const line of describeMachine(folder)) console.log(`- ${line}`);
  console.log(`- ${DESTINATIONS} destinations of as many accounts, ${RATE_PER_SECOND} webhooks/s (open loop)`);
  console.log("- each destination once as warm-up, then one webhook for each measured; a process for each part");
  console.log("- names by c-ares from a name server of the bench, TTL 60 s; TLS 1.3, an own authority");
  console.log("- kept 30 s: the receiver says so, and half of the webhooks go to a tenth of the destinations\n");
}

async function setUp({ ports }: Rig, modes: readonly Mode[]): Promise<void> {
  for (const isTls of new Set(modes.map((mode) => mode.isTls))) {
    const port = isTls ? ports.tlsPort : ports.plainPort;
    const scheme = isTls ? "https" : "http";
    const urls = Array.from({ length: DESTINATIONS }, (_, n) => `${scheme}://${toHost(n)}:${port}/in/${n}`);
    await setUpDestinations(join(folder, scheme), urls);
  }
}

/** Prints a line for each subject; gives the ratio of the whole service to undici alone. */
async function compare(rig: Rig, mode: Mode): Promise<number> {
  let alone = Number.NaN;
  let last = Number.NaN;
  for (const subject of SUBJECTS) {
    const { micros, counts, done } = await measureSubject(rig, mode, subject);
    last = Object.values(micros).reduce((sum, each) => sum + each, 0);
    if (subject === "undici") alone = last;
    const parts = Object.entries(micros).map(([part, each]) => `${part} ${each.toFixed(0)}`);
    const ratio = (last / alone).toFixed(2);
    const shares = [counts.connections, counts.resumed].map((of) => `${((100 * of) / counts.requests).toFixed(0)} %`);
    row(mode.name, subject, last.toFixed(0), ratio, parts.join(", "), ...shares, done.inFlightMax);
  }
  return last / alone;
}

async function measureSubject(rig: Rig, mode: Mode, kind: Subject) {
  const behave = { kind: "behave", keepAliveSeconds: mode.keepAliveSeconds, resumes: mode.resumes } as const;
  await rig.receiver.ask(behave);
  const env = { NODE_EXTRA_CA_CERTS: join(import.meta.dirname, "..", "test", "tls", "bench.test.cert.pem") };
  await using service = kind === "service" ? await start(rig, mode, env) : null;
  using caller = startPart<ToColdCaller, FromColdCaller>("cold/caller.ts", env);
  const pid = service?.child.pid ?? caller.pid;
  const job = makeJob(rig, { mode, kind, service });
  // Every second call goes to the busy ones, and the others have to be called too.
  await run(rig, { caller, service, job: { ...job, calls: mode.hasBusy ? 2 * DESTINATIONS : DESTINATIONS } });
  await rig.receiver.ask(behave);
  const before = readCpuSeconds(pid);
  const done = await run(rig, { caller, service, job });
  const after = readCpuSeconds(pid);
  const counts = await rig.receiver.ask({ kind: "count" });
  assert(counts.kind === "counts");
  assert.equal(counts.requests, job.calls, "everything has arrived, once");
  const used = Object.entries(after).map(([part, seconds]) => [
    part,
    ((seconds - (before[part] ?? 0)) * 1e6) / job.calls,
  ]);
  return { micros: Object.fromEntries(used) as Record<string, number>, counts, done };
}

interface Job {
  readonly mode: Mode;
  readonly kind: Subject;
  readonly service: Running | null;
}

function makeJob({ ports, names }: Rig, { mode, kind, service }: Job): Omit<ToColdCaller, "first"> {
  const receiverPort = mode.isTls ? ports.tlsPort : ports.plainPort;
  return {
    kind,
    isTls: mode.isTls,
    port: service === null ? receiverPort : Number(new URL(service.url).port),
    apiKey: service?.apiKey ?? "",
    nameServer: names.address,
    order: { destinations: DESTINATIONS, busy: mode.hasBusy ? DESTINATIONS / 10 : 0 },
    calls: DESTINATIONS,
    ratePerSecond: RATE_PER_SECOND,
  };
}

interface Run {
  readonly caller: Part<ToColdCaller, FromColdCaller>;
  readonly service: Running | null;
  readonly job: Omit<ToColdCaller, "first">;
}

async function run(rig: Rig, { caller, service, job }: Run): Promise<FromColdCaller> {
  const done = await caller.ask({ ...job, first: rig.nextRecord });
  rig.nextRecord += job.calls;
  if (service !== null) await drained(service);
  return done;
}

async function start({ names }: Rig, { isTls }: Mode, env: Readonly<Record<string, string>>): Promise<Running> {
  const place = isTls ? "https" : "http";
  return await startService({
    dataDir: join(folder, place),
    program: [join(import.meta.dirname, "isolated-service.ts")],
    env: { ...env, NAME_SERVER: names.address },
    output: openSync(join(folder, `${place}.log`), "a"),
  });
}
