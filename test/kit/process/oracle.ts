/**
 * The judgement after a run with crashes, made without asking the service: the file of acknowledged ids,
 * the receivers, and the store as each crash left it.
 *
 * A "life" is the time between a start of the service and its end. A delivery that arrives in two lives is a duplicate;
 * its cause is known when it had arrived and was not yet settled in the store at the end of the life before.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Receiver } from "../servers/receiver.ts";
import { type Child, startChild } from "./child.ts";
import type { LoadJob } from "./load.ts";
import { soon } from "../wait.ts";
import { ACCOUNT, type Running } from "./running.ts";

export interface Load {
  readonly child: Child;
  /**
   * Waits, and rejects when the generator ends meanwhile: nothing that the test waits for would come any more. `forMs`
   * in place of the limit of all waits.
   */
  during<Value>(wait: Promise<Value>, forMs?: number): Promise<Value>;
  /** Lets it finish, and reads what was acknowledged. */
  end(): Promise<TimedAcknowledged>;
  /** Ends it at once, where the service is gone: what was acknowledged until then. */
  kept(): Promise<TimedAcknowledged>;
}

/** By source id. */
export type Acknowledged = ReadonlyMap<string, { readonly eventIds: ReadonlySet<string>; readonly deliveries: number }>;

export type TimedAcknowledged = ReadonlyMap<string, TimedRecord>;

export interface TimedRecord {
  readonly eventIds: ReadonlySet<string>;
  readonly deliveries: number;
  /** When it was first sent, and how long it took until it was acknowledged, 503s and all. */
  readonly startedAtMs: number;
  readonly tookMs: number;
}

export interface Findings {
  readonly acknowledged: number;
  /** Deliveries that arrived, each counted once. */
  readonly deliveries: number;
  /** Source ids with fewer deliveries at the receivers than their acknowledgement promised. */
  readonly lost: readonly string[];
  /** Source ids with more than one event, or with more deliveries than their event has. */
  readonly doubled: readonly string[];
  /** Arrivals of deliveries that had arrived before. */
  readonly duplicates: number;
  /** Those among them without a known cause. */
  readonly unexplained: readonly string[];
  /** Deliveries that had arrived and were not settled when a life ended: no more than these may be duplicates. */
  readonly inFlight: number;
}

export interface LoadOptions extends Pick<
  LoadJob,
  "assistants" | "hasLeads" | "callers" | "pauseMs" | "answerMsMax" | "againMs"
> {
  /** The one that `setUpAccount` makes, unless given. */
  readonly accounts?: readonly string[];
}

/** A taker of posts: a node of a service, or a load balancer before it. */
export type Intake = Pick<Running, "url" | "apiKey">;

export function startLoad(folder: string, nodes: readonly [Intake, ...Intake[]], options: LoadOptions): Load {
  const acknowledgedFile = join(folder, "acknowledged");
  const urls = nodes.map(({ url }) => url);
  const [{ apiKey }] = nodes;
  const job: LoadJob = { accounts: [ACCOUNT], ...options, urls, apiKey, acknowledgedFile };
  const LOAD_JOB = JSON.stringify(job);
  const child = startChild({ args: [join(import.meta.dirname, "load.ts")], env: { LOAD_JOB } });
  const died = child.exited.then((): never => {
    throw new Error(`the load generator has ended:\n${child.err.text}`);
  });
  died.catch(() => {});
  return {
    child,
    during: (wait, forMs) => soon(Promise.race([wait, died]), "deliveries under load", forMs),
    async end() {
      child.endInput();
      const { code } = await soon(child.exited, "the end of the load generator");
      if (code !== 0) throw new Error(`the load generator ended with ${code}:\n${child.err.text}`);
      return readAcknowledged(acknowledgedFile);
    },
    async kept() {
      await child[Symbol.asyncDispose]();
      return readAcknowledged(acknowledgedFile);
    },
  };
}

function readAcknowledged(path: string): TimedAcknowledged {
  const all = new Map<string, TimedRecord & { readonly eventIds: Set<string> }>();
  for (const line of readFileSync(path, "utf8").trimEnd().split("\n")) {
    const [sourceId = "", eventId = "", deliveries, , startedAtMs, tookMs] = line.split(" ");
    const times = { startedAtMs: Number(startedAtMs), tookMs: Number(tookMs) };
    const known = all.get(sourceId) ?? { eventIds: new Set(), deliveries: Number(deliveries), ...times };
    known.eventIds.add(eventId);
    all.set(sourceId, known);
  }
  return all;
}

interface Arrivals {
  readonly sourceId: string;
  /** The lives in which it arrived, in order. */
  readonly lives: number[];
}

export interface Witness {
  /** Deliveries that have arrived, each counted once. */
  arrivedCount(): number;
  /** The service has ended: these deliveries had not been settled, says the store. */
  endLife(pending: ReadonlySet<string>): void;
  judge(acknowledged: Acknowledged): Findings;
}

/** Watches receivers, which must answer every request with 200: then nothing is repeated but for a crash. */
export function createWitness(receivers: readonly Receiver[]): Witness {
  const arrived = new Map<string, Arrivals>();
  const inFlightAtEnd: ReadonlySet<string>[] = [];
  const read = receivers.map(() => 0);

  function collect(): void {
    for (const [place, receiver] of receivers.entries()) {
      for (const { headers, body } of receiver.requests.slice(read[place])) {
        const deliveryId = headers["webhook-id"] ?? "";
        const known = arrived.get(deliveryId);
        if (known !== undefined) known.lives.push(inFlightAtEnd.length);
        else arrived.set(deliveryId, { sourceId: readSourceId(body), lives: [inFlightAtEnd.length] });
      }
      read[place] = receiver.requests.length;
    }
  }

  return {
    arrivedCount() {
      collect();
      return arrived.size;
    },
    endLife(pending) {
      collect();
      const life = inFlightAtEnd.length;
      const unsettled = [...arrived].filter(([id, { lives }]) => lives.includes(life) && pending.has(id));
      inFlightAtEnd.push(new Set(unsettled.map(([id]) => id)));
    },
    judge(acknowledged) {
      collect();
      return judge(acknowledged, arrived, inFlightAtEnd);
    },
  };
}

/** Whatever happened: everything acknowledged has arrived, and each record became one event. */
export function assertKept({ acknowledged, lost, doubled }: Findings): void {
  assert.ok(acknowledged > 0, "nothing was acknowledged: there was no load");
  assert.deepEqual(lost, [], "acknowledged and lost");
  assert.deepEqual(doubled, [], "one record, more than one event");
}

function judge(
  acknowledged: Acknowledged,
  arrived: ReadonlyMap<string, Arrivals>,
  inFlightAtEnd: readonly ReadonlySet<string>[],
): Findings {
  const arrivedOf = countBySource(arrived);
  const all = [...acknowledged];
  const repeated = [...arrived].flatMap(([id, { lives }]) =>
    lives.slice(1).map((life, place) => ({ id, life, before: lives[place] ?? life })),
  );
  const isExplained = ({ id, life, before }: { id: string; life: number; before: number }) =>
    life > before && inFlightAtEnd[before]?.has(id) === true;
  return {
    acknowledged: acknowledged.size,
    deliveries: arrived.size,
    lost: all.filter(([id, { deliveries }]) => (arrivedOf.get(id) ?? 0) < deliveries).map(([id]) => id),
    doubled: all
      .filter(([id, { eventIds, deliveries }]) => eventIds.size > 1 || (arrivedOf.get(id) ?? 0) > deliveries)
      .map(([id]) => id),
    duplicates: repeated.length,
    unexplained: repeated.filter((arrival) => !isExplained(arrival)).map(({ id }) => id),
    inFlight: inFlightAtEnd.reduce((sum, { size }) => sum + size, 0),
  };
}

function countBySource(arrived: ReadonlyMap<string, Arrivals>): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { sourceId } of arrived.values()) counts.set(sourceId, (counts.get(sourceId) ?? 0) + 1);
  return counts;
}

export const readSourceId = (body: Buffer): string => (JSON.parse(body.toString("utf8")) as { id: string }).id;
