/**
 * `npm run bench -- strangers`: what callers without a key or a session can take from the others. 300 bodies that are
 * sent by halves and 300 sockets that say nothing, all of which keep their own side open, against a real process, while
 * the product's back end posts and somebody reads the dashboard. Then batches of NDJSON that are made to be expensive,
 * with what they cost in CPU and how long the event loop stood still for them. Exit code 1 when a gate is missed.
 */
import { openSync, readFileSync, readdirSync, readlinkSync } from "node:fs";
import { type Socket, connect } from "node:net";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { setUpAccount } from "../test/kit/process/account.ts";
import { ACCOUNT, type Running, startService } from "../test/kit/process/running.ts";
import { startReceiver } from "../test/kit/servers/receiver.ts";
import { type Caller, openCaller } from "./caller.ts";
import { readCpuSeconds, describeMachine, machineCpuSeconds } from "./conditions.ts";
import { newDiskFolder } from "../test/kit/folder.ts";
import { sendBatches, warmUp } from "./strangers-batches.ts";
import { signInForCookie, readRequest, sessionRequest } from "./strangers-requests.ts";

const HALVES = 300;
const IDLE = 300;
/** Of the 2 MiB that each announces. */
const SENT_BYTES = 1024 * 1024;
const GROWTH_MB_MAX = 20;
const GONE_SECONDS_MAX = 40;
const P99_MS_MAX = 50;
const POSTS_PER_SECOND = 50;
const READS_PER_SECOND = 20;
/**
 * V8 lets the space for young objects grow for as long as a process is busy, and RSS with it by tens of megabytes, with
 * strangers and without (measured). With 2 MB it stays where it is, and what grows is what is held.
 */
const MEASURED_WITH = ["--max-semi-space-size=2"];

/** A process that has had no bodies has none of their garbage either: a product's batches come first. */
const WARM_UP_BATCHES = 20;
/** What the deliveries' and the log's caches need besides. */
const WARM_UP_MS = 10_000;
/** Looks at memory and sockets. */
const LOOK_MS = 100;

const folder = newDiskFolder("strangers");
process.exit((await measure()) ? 0 : 1);

async function measure(): Promise<boolean> {
  await using receiver = await startReceiver({ status: 200 });
  await setUpAccount({ dataDir: folder, alerts: [{ url: receiver.url }] });
  await using service = await startService({
    dataDir: folder,
    program: [...MEASURED_WITH, join(import.meta.dirname, "watched-service.ts")],
    output: openSync(join(folder, "log"), "a"),
  });
  for (const line of describeMachine(folder)) console.log(`- ${line}`);
  console.log(
    `- ${POSTS_PER_SECOND} posts/s and ${READS_PER_SECOND} reads of the log/s, each on a connection of its own,`,
  );
  console.log("  and as many reads on a new connection each\n");
  const siege = await besiege(service);
  const batches = await sendBatches(service);
  return [siege, ...batches].every(Boolean);
}

interface Use {
  readonly rssMb: number;
  readonly sockets: number;
  /** The service's, and the whole machine's. */
  readonly cpu: number;
  readonly machine: number;
}

async function besiege(service: Running): Promise<boolean> {
  const port = Number(new URL(service.url).port);
  await warmUp(service, WARM_UP_BATCHES);
  const healthy = await startHealthy(service, port);
  await pause(WARM_UP_MS);
  const quiet = healthy.take();
  const before = readUse(service);
  const startedMs = performance.now();
  const strangers = openStrangers(port);
  const peak = await untilGone(service, before);
  const seconds = (performance.now() - startedMs) / 1000;
  const during = healthy.take();
  await healthy.stop();
  for (const socket of strangers) socket.destroy();
  const isKept = printSiege(before, peak, seconds);
  return printWaits(quiet, during) && isKept;
}

/** The most that was used on the way, until the sockets are as many as before or it has taken far too long. */
async function untilGone(service: Running, before: Use): Promise<Use> {
  const lastMs = performance.now() + 2 * GONE_SECONDS_MAX * 1000;
  let peak = before;
  for (;;) {
    await pause(LOOK_MS);
    const now = readUse(service);
    const { rssMb, sockets } = peak;
    peak = { ...now, rssMb: Math.max(rssMb, now.rssMb), sockets: Math.max(sockets, now.sockets) };
    // One more: each read on a new connection has one for a moment.
    if (now.sockets <= before.sockets + 1 || performance.now() > lastMs) return peak;
  }
}

function printSiege(before: Use, peak: Use, seconds: number): boolean {
  const growthMb = peak.rssMb - before.rssMb;
  const [cpu, cores] = [peak.cpu - before.cpu, (peak.machine - before.machine) / seconds];
  const [rssBefore, rssPeak, growth] = [before.rssMb, peak.rssMb, growthMb].map((mb) => mb.toFixed(1));
  console.log(`${HALVES} bodies sent by halves (${SENT_BYTES / 1024} KiB each) and ${IDLE} silent sockets:`);
  console.log(`- all gone after ${seconds.toFixed(1)} s (gate ${GONE_SECONDS_MAX})`);
  console.log(`- RSS ${rssBefore} MB before, ${rssPeak} at most: ${growth} MB more (gate ${GROWTH_MB_MAX})`);
  console.log(`- sockets ${before.sockets} before, ${peak.sockets} at most when somebody looked`);
  console.log(`- ${cpu.toFixed(2)} s of CPU for the service; ${cores.toFixed(2)} cores of the machine were busy`);
  return growthMb < GROWTH_MB_MAX && seconds < GONE_SECONDS_MAX;
}

type Waits = Readonly<Record<string, readonly number[]>>;

function printWaits(quiet: Waits, during: Waits): boolean {
  console.log("\n| Who | answered | p50 before, during | p99 before, during | longest |");
  console.log("|---|---|---|---|---|");
  for (const [who, waits] of Object.entries(during)) {
    const [first, now] = [quiet[who] ?? [], waits].map((each) => each.toSorted((a, b) => a - b));
    const cells = [0.5, 0.99].map((share) => `${at(first ?? [], share)}, ${at(now ?? [], share)} ms`);
    console.log(`| ${who} | ${waits.length} | ${cells.join(" | ")} | ${at(now ?? [], 1)} ms |`);
  }
  console.log("");
  return Object.values(during).every(
    (waits) =>
      Number(
        at(
          waits.toSorted((a, b) => a - b),
          0.99,
        ),
      ) < P99_MS_MAX,
  );
}

function at(sorted: readonly number[], share: number): string {
  return (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN).toFixed(1);
}

/** Callers that the strangers must not be noticed by. Each waits for its answer before it asks again. */
async function startHealthy(service: Running, port: number) {
  const waits: Record<string, number[]> = {};
  const cookie = await signInForCookie(service, ACCOUNT);
  let isStopped = false;
  const repeat = async (who: string, perSecond: number, ask: () => Promise<void>): Promise<void> => {
    const own = (): number[] => (waits[who] ??= []);
    while (!isStopped) {
      const startedMs = performance.now();
      await ask();
      const tookMs = performance.now() - startedMs;
      own().push(tookMs);
      await pause(Math.max(0, 1000 / perSecond - tookMs));
    }
  };
  const [poster, reader] = [await openCaller(port), await openCaller(port)];
  const read = readRequest(cookie);
  const expect = async (caller: Caller, bytes: Buffer, status: number): Promise<void> =>
    new Promise((resolve, reject) => {
      caller.send(bytes, (got) => (got === status ? resolve() : reject(new Error(`answered ${got}, not ${status}`))));
    });
  const all = Promise.all([
    repeat("back end, posting", POSTS_PER_SECOND, () => expect(poster, sessionRequest(service.apiKey, ACCOUNT), 202)),
    repeat("reader of the log", READS_PER_SECOND, () => expect(reader, read, 200)),
    repeat("reader, new connection", READS_PER_SECOND, async () => {
      const caller = await openCaller(port);
      await expect(caller, read, 200);
      caller.close();
    }),
  ]);
  void all.catch((error: unknown) => {
    console.error(error);
    process.exit(1);
  });
  return {
    take(): Waits {
      const taken = { ...waits };
      for (const who of Object.keys(waits)) waits[who] = [];
      return taken;
    },
    async stop(): Promise<void> {
      isStopped = true;
      await all;
    },
  };
}

/** All at once; an error of one is the service letting go of it. */
function openStrangers(port: number): Socket[] {
  const body = Buffer.alloc(SENT_BYTES, 0x20);
  const head =
    "POST /dashboard/alerts HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n" +
    `sec-fetch-site: same-origin\r\ncontent-length: ${2 * SENT_BYTES}\r\n\r\n`;
  const open = (place: number): Socket => {
    const socket = connect({ host: "127.0.0.1", port, allowHalfOpen: true });
    socket.on("error", () => {});
    socket.resume();
    if (place < HALVES) socket.write(Buffer.concat([Buffer.from(head), body]));
    return socket;
  };
  return Array.from({ length: HALVES + IDLE }, (_, place) => open(place));
}

function readUse(service: Running): Use {
  const { pid } = service.child;
  const status = readFileSync(`/proc/${pid}/status`, "latin1");
  return {
    rssMb: Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1]) / 1024,
    sockets: countSockets(service),
    cpu: Object.values(readCpuSeconds(pid)).reduce((sum, seconds) => sum + seconds, 0),
    machine: machineCpuSeconds(),
  };
}

/** As the system counts them: one that the service has only ended is still there. */
function countSockets({ child }: Running): number {
  const folderOfFiles = `/proc/${child.pid}/fd`;
  return readdirSync(folderOfFiles).filter((file) => isSocket(join(folderOfFiles, file))).length;
}

function isSocket(file: string): boolean {
  try {
    return readlinkSync(file).startsWith("socket:");
  } catch {
    // Closed since the folder was read.
    return false;
  }
}
