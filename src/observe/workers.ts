/**
 * Figures of each worker of a database that is spread over several servers. A database of one server has none of them.
 * Their number is bounded by the workers: 32 at most have accounts at once.
 */
import { Counter, Gauge, Histogram, type Registry } from "prom-client";
import type { Metrics } from "./metrics.ts";

/** Seconds, as for commits. */
const CALL_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];

const REASONS = ["lost", "refused"] as const;

export interface WorkerFigures {
  readonly name: string;
  readonly groups: number;
  readonly isAway: boolean;
  /** `null`: it could not be asked. */
  readonly waits: { readonly waiting: number; readonly oldestDueAtMs: number | null } | null;
}

export interface WorkerCall {
  readonly server: string;
  readonly result: "done" | "lost" | "refused";
  readonly durationMs: number;
}

export interface WorkerSources {
  /** Those that have accounts now. */
  readonly list: () => readonly WorkerFigures[];
  readonly follow: (onCall: (call: WorkerCall) => void) => void;
  /** Has what waits counted on each of them. */
  readonly count: () => Promise<unknown>;
  readonly nowMs: () => number;
}

export function registerWorkers({ registry }: Pick<Metrics, "registry">, sources: WorkerSources): void {
  const registers = [registry];
  const failed = new Counter<"worker" | "reason">({
    name: "bellwire_worker_calls_failed_total",
    help: "Calls that failed for want of a worker: lost (it was asked), or refused (it was known to be away).",
    labelNames: ["worker", "reason"],
    registers,
  });
  const seconds = new Histogram<"worker">({
    name: "bellwire_worker_transaction_seconds",
    help: "Time of a transaction of this node on a worker, without the wait for a connection.",
    labelNames: ["worker"],
    buckets: CALL_BUCKETS,
    registers,
  });
  // Prometheus sees no growth in a series that appears with 1.
  const startAtZero = (): void => {
    for (const { name } of sources.list()) for (const reason of REASONS) failed.inc({ worker: name, reason }, 0);
  };
  startAtZero();
  sources.follow(({ server, result, durationMs }) => {
    if (result !== "done") failed.inc({ worker: server, reason: result });
    if (result !== "refused") seconds.observe({ worker: server }, durationMs / 1000);
  });
  const list = (): readonly WorkerFigures[] => (startAtZero(), sources.list());
  registerGauge(registers, list, {
    name: "bellwire_worker_shard_groups",
    help: "Groups of accounts that lie on a worker, each of which moves as a whole.",
    read: ({ groups }) => groups,
  });
  registerGauge(registers, list, {
    name: "bellwire_worker_away",
    help: "1 while this node cannot reach a worker, and 0 otherwise.",
    read: ({ isAway }) => (isAway ? 1 : 0),
  });
  const counted = async (): Promise<readonly WorkerFigures[]> => {
    await sources.count();
    return sources.list();
  };
  registerGauge(registers, counted, {
    name: "bellwire_worker_deliveries_waiting",
    help: "Deliveries of a worker's accounts that are pending; not shown while it is away.",
    read: ({ waits }) => waits?.waiting ?? null,
  });
  registerGauge(registers, counted, {
    name: "bellwire_worker_oldest_due_seconds",
    help: "How long the delivery that is due the longest on a worker has been waiting; not shown while it is away.",
    read({ waits }) {
      if (waits === null) return null;
      return waits.oldestDueAtMs === null ? 0 : Math.max(0, sources.nowMs() - waits.oldestDueAtMs) / 1000;
    },
  });
}

interface WorkerGauge {
  readonly name: string;
  readonly help: string;
  /** `null`: it is left out. */
  read(worker: WorkerFigures): number | null;
}

function registerGauge(
  registers: Registry[],
  list: () => readonly WorkerFigures[] | Promise<readonly WorkerFigures[]>,
  { name, help, read }: WorkerGauge,
): void {
  new Gauge<"worker">({
    name,
    help,
    labelNames: ["worker"],
    registers,
    async collect() {
      const workers = await list();
      // A worker that has no accounts any more is not shown.
      this.reset();
      for (const worker of workers) {
        const value = read(worker);
        if (value !== null) this.set({ worker: worker.name }, value);
      }
    },
  });
}
