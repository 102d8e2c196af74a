/**
 * The traffic of the isolation benchmark, a process of its own: posts conversations at a fixed rate to many
 * destinations in turn, whatever the service does, and is the receiver of the healthy ones. Both ends stand on one
 * clock. A record's first arrival counts, from the moment when its post was released, also when every
 * connection was busy then.
 */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { conversationRecord } from "../test/kit/process/records.ts";
import { type Caller, openCaller } from "./caller.ts";
import { ASSISTANT, findAccount } from "./many-destinations.ts";
import { DIGITS_AT, type Template, putSequence, readSequence, toTemplate } from "./record.ts";
import { pause } from "../test/kit/wait.ts";

export interface ToTraffic {
  readonly port: number;
  readonly apiKey: string;
  readonly destinations: number;
  /** Destinations from this one on are measured. */
  readonly measuredFrom: number;
  /** And up to this one, without it. */
  readonly measuredTo: number;
  readonly ratePerSecond: number;
  readonly durationMs: number;
  /** Waits so long for what has not been answered or has not arrived at the end. */
  readonly graceMs: number;
}

export type FromTraffic =
  | { readonly kind: "listening"; readonly port: number }
  | {
      readonly kind: "sent";
      /** Waits of the measured records, in ms; one that has not arrived counts as having waited until now. */
      readonly waitsMs: Float64Array;
      readonly missing: number;
      /** From each post's release to its answer, in ms; one that has none counts as having waited until now. */
      readonly answersMs: Float64Array;
      readonly unanswered: number;
      /** How late this process's own timer was, each time, in ms: what the machine alone did to the figures. */
      readonly timerMs: Float64Array;
      /** Arrivals a second of what waited before: all such bodies have the number 0. */
      readonly drainedPerSecond: number;
    };

const CONNECTIONS = 64;
const ASK_AGAIN_MS = 20;
const TIMER_MS = 1;
/** Ids as in bench/record.ts: the receiver reads the running number out of the body. */
const TEMPLATE_ID = "00000000-0000-4000-8000-000000000000";

/** The number in the bodies of `acceptBacklog`; those of the traffic begin at 1. */
const OF_BACKLOG = 0;

const arrivedAtMs = new Map<number, number>();
let drained = 0;
let nextSequence = 1;

process.on("message", (job: ToTraffic) => {
  void run(job).then((answer) => process.send?.(answer));
});
process.on("disconnect", () => process.exit(0));

const server = createServer((request, response) => {
  const atMs = performance.now();
  request.once("data", (body: Buffer) => {
    const sequence = readSequence(body, DIGITS_AT);
    if (sequence === OF_BACKLOG) drained += 1;
    else if (!arrivedAtMs.has(sequence)) arrivedAtMs.set(sequence, atMs);
  });
  request.on("end", () => response.end());
});
server.listen(0, "127.0.0.1", () => {
  process.send?.({ kind: "listening", port: (server.address() as AddressInfo).port } satisfies FromTraffic);
});

async function run(job: ToTraffic): Promise<FromTraffic> {
  const first = nextSequence;
  nextSequence += Math.floor((job.ratePerSecond * job.durationMs) / 1000);
  const startedMs = performance.now();
  const graceEndsMs = startedMs + job.durationMs + job.graceMs;
  drained = 0;
  const { releasedAtMs, answeredAtMs, timerMs } = await sendAll(job, { first, graceEndsMs });
  const drainedPerSecond = (drained * 1000) / (performance.now() - startedMs);
  const measured = [...releasedAtMs.keys()].filter((place) => isMeasured(job, (first + place) % job.destinations));
  const isMissing = (place: number) => !arrivedAtMs.has(first + place);
  while (measured.some(isMissing) && performance.now() < graceEndsMs) await pause(ASK_AGAIN_MS);
  const nowMs = performance.now();
  const waitsMs = measured.map((place) => (arrivedAtMs.get(first + place) ?? nowMs) - (releasedAtMs[place] ?? nowMs));
  const missing = measured.filter(isMissing).length;
  const answersMs = releasedAtMs.map((atMs, place) => (answeredAtMs[place] || nowMs) - atMs);
  const unanswered = answeredAtMs.filter((atMs) => atMs === 0).length;
  arrivedAtMs.clear();
  const ofArrivals = { waitsMs: Float64Array.from(waitsMs), missing, timerMs: Float64Array.from(timerMs) };
  return { kind: "sent", ...ofArrivals, answersMs, unanswered, drainedPerSecond };
}

const isMeasured = ({ measuredFrom, measuredTo }: ToTraffic, destination: number): boolean =>
  destination >= measuredFrom && destination < measuredTo;

interface Sent {
  /** When each post was released, in order. */
  readonly releasedAtMs: Float64Array;
  /** When each was answered; 0 for one that was not. */
  readonly answeredAtMs: Float64Array;
  readonly timerMs: readonly number[];
}

interface Sending {
  /** The number of the first record. */
  readonly first: number;
  /** The end of waiting for answers. */
  readonly graceEndsMs: number;
}

async function sendAll(job: ToTraffic, { first, graceEndsMs }: Sending): Promise<Sent> {
  const callers = await Promise.all(Array.from({ length: CONNECTIONS }, () => openCaller(job.port)));
  const requests = createRequests(job);
  const releasedAtMs = new Float64Array(nextSequence - first);
  const answeredAtMs = new Float64Array(releasedAtMs.length);
  const queue: number[] = [];
  const idle = [...callers];
  const timerMs: number[] = [];
  const startedMs = performance.now();
  let lastMs = startedMs;
  let answered = 0;
  let released = 0;
  const { promise: done, resolve } = Promise.withResolvers<void>();

  const post = (caller: Caller, place: number): void => {
    caller.send(requests(first + place), (status, answer) => {
      if (status !== 202) throw new Error(`the service answered ${status}: ${answer.toString("utf8").slice(0, 500)}`);
      idle.push(caller);
      answeredAtMs[place] = performance.now();
      answered += 1;
      if (answered === releasedAtMs.length) resolve();
      postQueued();
    });
  };
  const postQueued = (): void => {
    while (queue.length > 0) {
      const caller = idle.pop();
      if (caller === undefined) return;
      post(caller, queue.shift() ?? 0);
    }
  };
  const timer = setInterval(() => {
    timerMs.push(performance.now() - lastMs - TIMER_MS);
    lastMs = performance.now();
    const due = Math.min(releasedAtMs.length, Math.floor(((performance.now() - startedMs) * job.ratePerSecond) / 1000));
    for (; released < due; released += 1) {
      releasedAtMs[released] = performance.now();
      queue.push(released);
    }
    postQueued();
    if (performance.now() > graceEndsMs) resolve();
  }, TIMER_MS);
  await done;
  clearInterval(timer);
  for (const caller of callers) caller.close();
  return { releasedAtMs, answeredAtMs, timerMs };
}

/** The request of a record: made once for each destination, copied, and given its number. */
function createRequests({ apiKey, destinations }: ToTraffic): (sequence: number) => Buffer {
  const record = conversationRecord(TEMPLATE_ID, ASSISTANT);
  const templates = Array.from({ length: destinations }, (_, destination) => {
    const head =
      `POST /v1/accounts/${findAccount(destination)}/chat-conversations HTTP/1.1\r\nhost: 127.0.0.1\r\n` +
      `authorization: Bearer ${apiKey}\r\ncontent-type: application/json\r\n` +
      `content-length: ${Buffer.byteLength(record)}\r\n\r\n`;
    return toTemplate(head, [record]);
  });
  return (sequence) => {
    const template = templates[sequence % destinations] as Template;
    const own = { ...template, bytes: Buffer.from(template.bytes) };
    putSequence(own, 0, sequence);
    return own.bytes;
  };
}
