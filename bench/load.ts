/**
 * The load generator of the benchmark, a process of its own. Two kinds of load: "closed" sends the next request when an
 * answer is there, as fast as the service takes them; "open" sends at a fixed rate, whatever the service does.
 */
import { type Caller, openCaller } from "./caller.ts";
import { type Template, declaredText, putSequence, recordText, sharedClockMs, toTemplate } from "./record.ts";

interface Load {
  /** The ports of every node; connections go to them in turn. */
  readonly ports: readonly number[];
  readonly apiKey: string;
  /** Connections are theirs in turn, or each connection's posts where there are more of them than connections. */
  readonly accounts: readonly string[];
  readonly destinations: number;
  readonly connections: number;
  /** Records of these declared types are sent in turn, and not sessions. */
  readonly types?: readonly string[];
  /** The least size of such a record. */
  readonly bodyBytes?: number;
  /** Records a request; 1 is a single post, more are NDJSON. */
  readonly batch: number;
  readonly firstSequence: number;
  readonly durationMs: number;
}

export type ToLoad = Load & ({ readonly kind: "closed" } | { readonly kind: "open"; readonly ratePerSecond: number });

export interface FromLoad {
  /** Records that were acknowledged; all that were sent. */
  readonly records: number;
  readonly startedAtMs: number;
  readonly endedAtMs: number;
  /** Open load: when each record was released, in order. */
  readonly atMs: Float64Array;
  /** Open load: when each was acknowledged, in the same order. */
  readonly answeredAtMs: Float64Array;
  /** Open load: how late a release came, at worst. */
  readonly lateMsMax: number;
}

process.on("message", (job: ToLoad) => {
  void (job.kind === "closed" ? sendClosed(job) : sendOpen(job, job.ratePerSecond)).then((done) =>
    process.send?.(done),
  );
});
process.on("disconnect", () => process.exit(0));

/** A connection with requests of its own: each destination's is made once and only gets new numbers. */
interface Line {
  readonly caller: Caller;
  readonly templates: readonly Template[];
}

async function openLines(job: Load): Promise<Line[]> {
  const places = Array.from({ length: job.connections }, (_, place) => job.ports[place % job.ports.length] ?? 0);
  const callers = await Promise.all(places.map(openCaller));
  const numbers = Array.from({ length: job.types?.length ?? job.destinations }, (_, place) => place);
  // A batch holds every destination in turn; single posts need a request for each, or for each type.
  const starts = job.batch === 1 ? numbers : [0];
  return callers.map((caller, place) => {
    const templates = listAccounts(job, place).flatMap((account) =>
      starts.map((start) => requestTemplate({ ...job, account }, start)),
    );
    return { caller, templates };
  });
}

/** One for each connection; several where there are more accounts than connections. */
function listAccounts({ accounts, connections }: Load, place: number): readonly string[] {
  if (accounts.length <= connections) return [accounts[place % accounts.length] ?? ""];
  return accounts.filter((_, number) => number % connections === place);
}

type OfAccount = Load & { readonly account: string };

function requestTemplate(job: OfAccount, start: number): Template {
  const { apiKey, account, batch, destinations, types, bodyBytes } = job;
  const separator = batch === 1 ? "" : "\n";
  const type = types?.[start % types.length];
  const toText = (place: number) =>
    type === undefined ? recordText((start + place) % destinations) : declaredText(bodyBytes);
  const texts = Array.from({ length: batch }, (_, place) => toText(place) + separator);
  const length = Buffer.byteLength(texts.join(""));
  const contentType = batch === 1 ? "application/json" : "application/x-ndjson";
  const path = type === undefined ? "demo-sessions" : `events/${type}`;
  const head =
    `POST /v1/accounts/${account}/${path} HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer ${apiKey}\r\n` +
    `content-type: ${contentType}\r\ncontent-length: ${length}\r\n\r\n`;
  return toTemplate(head, texts);
}

/** Puts the next numbers into the request that is their turn. */
function nextRequest({ templates }: Line, first: number): Buffer {
  const template = templates[first % templates.length];
  if (template === undefined) throw new Error("a line has no requests");
  for (let index = 0; index < template.places.length; index += 1) putSequence(template, index, first + index);
  return template.bytes;
}

/** Every record of the request must have been taken: the benchmark measures nothing else. */
function assertTaken(status: number, answer: Buffer, batch: number): void {
  const expected = batch === 1 ? 202 : 200;
  if (status === expected && !answer.includes('"code"', 0, "latin1")) return;
  throw new Error(`the service answered ${status}: ${answer.toString("utf8").slice(0, 2_000)}`);
}

async function sendClosed(job: Load): Promise<FromLoad> {
  const lines = await openLines(job);
  const startedAtMs = sharedClockMs();
  const untilMs = startedAtMs + job.durationMs;
  let sent = 0;
  await Promise.all(
    lines.map(
      (line) =>
        new Promise<void>((resolve) => {
          const sendNext = (): void => {
            if (sharedClockMs() >= untilMs) return resolve();
            const bytes = nextRequest(line, job.firstSequence + sent);
            sent += job.batch;
            line.caller.send(bytes, (status, answer) => {
              assertTaken(status, answer, job.batch);
              sendNext();
            });
          };
          sendNext();
        }),
    ),
  );
  for (const { caller } of lines) caller.close();
  const none = new Float64Array(0);
  return { records: sent, startedAtMs, endedAtMs: sharedClockMs(), atMs: none, answeredAtMs: none, lateMsMax: 0 };
}

/** Single posts. A record is released at its time also when every connection is busy: its wait for one counts. */
async function sendOpen(job: Load, ratePerSecond: number): Promise<FromLoad> {
  const lines = await openLines(job);
  const total = Math.floor((ratePerSecond * job.durationMs) / 1000);
  const [atMs, answeredAtMs] = [new Float64Array(total), new Float64Array(total)];
  const idle = [...lines];
  const queue: number[] = [];
  const startedAtMs = sharedClockMs();
  let released = 0;
  let answered = 0;
  let lateMsMax = 0;
  const { promise: done, resolve } = Promise.withResolvers<void>();

  const sendQueued = (): void => {
    while (queue.length > 0 && idle.length > 0) {
      const line = idle.pop();
      const place = queue.shift();
      if (line === undefined || place === undefined) return;
      line.caller.send(nextRequest(line, job.firstSequence + place), (status, answer) => {
        assertTaken(status, answer, 1);
        answeredAtMs[place] = sharedClockMs();
        idle.push(line);
        answered += 1;
        if (answered === total) resolve();
        sendQueued();
      });
    }
  };
  const timer = setInterval(() => {
    const nowMs = sharedClockMs();
    const due = Math.min(total, Math.floor(((nowMs - startedAtMs) * ratePerSecond) / 1000));
    for (; released < due; released += 1) {
      lateMsMax = Math.max(lateMsMax, nowMs - startedAtMs - (released * 1000) / ratePerSecond);
      atMs[released] = nowMs;
      queue.push(released);
    }
    sendQueued();
  }, 1);
  await done;
  clearInterval(timer);
  for (const { caller } of lines) caller.close();
  return { records: total, startedAtMs, endedAtMs: sharedClockMs(), atMs, answeredAtMs, lateMsMax };
}
