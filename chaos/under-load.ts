/** The common parts of scenes, with one service or with several nodes. */
import type { Load } from "../test/kit/process/oracle.ts";
import type { Receiver } from "../test/kit/servers/receiver.ts";

/** Errors only: attempts that fail on purpose would fill the memory of the process that reads the log. */
export const QUIET = { BELLWIRE_LOG_LEVEL: "error" };

interface UnderLoad {
  readonly load: Load;
  readonly receivers: readonly Receiver[];
}

/** Resolves when that many deliveries more have arrived at the first receiver. */
export async function inFullSwing({ load, receivers }: UnderLoad, deliveries: number): Promise<void> {
  const [first] = receivers;
  if (first !== undefined) await load.during(first.received(first.requests.length + deliveries));
}

/** When each delivery arrived, every time that it did. */
export function readArrivals(receivers: readonly Receiver[]): ReadonlyMap<string, readonly number[]> {
  const arrivals = new Map<string, number[]>();
  for (const { headers, atMs } of receivers.flatMap(({ requests }) => requests)) {
    const id = headers["webhook-id"] ?? "";
    arrivals.set(id, [...(arrivals.get(id) ?? []), atMs]);
  }
  return arrivals;
}

export interface Stretch {
  readonly fromMs: number;
  readonly toMs: number;
}

/** The longest time without an arrival. */
export function longestQuietMs(receivers: readonly Receiver[], { fromMs, toMs }: Stretch): number {
  const times = receivers.flatMap(({ requests }) => requests.map(({ atMs }) => atMs));
  const inOrder = [fromMs, ...times.filter((atMs) => atMs >= fromMs && atMs <= toMs).toSorted((a, b) => a - b), toMs];
  return Math.max(...inOrder.slice(1).map((atMs, place) => atMs - (inOrder[place] ?? atMs)));
}
