/** Figures of each shard, and as many series as there are shards; none where the home shard is the only one. */
import { Counter, Gauge, Histogram, type Registry } from "prom-client";
import type { Metrics } from "./metrics.ts";

/** Seconds, as for commits. */
const CALL_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];

const REASONS = ["lost", "refused"] as const;

export interface ShardFigure {
  readonly name: string;
  readonly isAway: boolean;
  /** `null`: it could not be asked. */
  readonly waits: { readonly waiting: number; readonly oldestDueAtMs: number | null } | null;
}

export interface ShardCall {
  readonly shard: string;
  readonly result: "done" | "lost" | "refused";
  readonly durationMs: number;
}

export interface ShardSources {
  /** Empty while the home shard is the only one. */
  readonly list: () => readonly ShardFigure[];
  readonly follow: (onCall: (call: ShardCall) => void) => void;
  /** Has what waits counted in each of them. */
  readonly count: () => Promise<unknown>;
  readonly nowMs: () => number;
}

export function registerShards({ registry }: Pick<Metrics, "registry">, sources: ShardSources): void {
  const registers = [registry];
  const failed = new Counter<"shard" | "reason">({
    name: "bellwire_shard_calls_failed_total",
    help: "Calls that failed for want of a shard: lost (it was asked), or refused (it was known to be away).",
    labelNames: ["shard", "reason"],
    registers,
  });
  const seconds = new Histogram<"shard">({
    name: "bellwire_shard_transaction_seconds",
    help: "Time of a call of this node to a shard.",
    labelNames: ["shard"],
    buckets: CALL_BUCKETS,
    registers,
  });
  // Prometheus sees no growth in a series that appears with 1.
  const startAtZero = (): void => {
    for (const { name } of sources.list()) for (const reason of REASONS) failed.inc({ shard: name, reason }, 0);
  };
  startAtZero();
  sources.follow(({ shard, result, durationMs }) => {
    if (result !== "done") failed.inc({ shard, reason: result });
    if (result !== "refused") seconds.observe({ shard }, durationMs / 1000);
  });
  const list = (): readonly ShardFigure[] => (startAtZero(), sources.list());
  registerGauge(registers, list, {
    name: "bellwire_shard_away",
    help: "1 while this node cannot reach a shard, and 0 otherwise.",
    read: ({ isAway }) => (isAway ? 1 : 0),
  });
  const counted = async (): Promise<readonly ShardFigure[]> => {
    await sources.count();
    return sources.list();
  };
  registerGauge(registers, counted, {
    name: "bellwire_shard_deliveries_waiting",
    help: "Deliveries of a shard's accounts that are pending; not shown while it is away.",
    read: ({ waits }) => waits?.waiting ?? null,
  });
  registerGauge(registers, counted, {
    name: "bellwire_shard_oldest_due_seconds",
    help: "How long the delivery that is due the longest in a shard has been waiting; not shown while it is away.",
    read({ waits }) {
      if (waits === null) return null;
      return waits.oldestDueAtMs === null ? 0 : Math.max(0, sources.nowMs() - waits.oldestDueAtMs) / 1000;
    },
  });
}

interface ShardGauge {
  readonly name: string;
  readonly help: string;
  /** `null`: it is left out. */
  read(shard: ShardFigure): number | null;
}

function registerGauge(
  registers: Registry[],
  list: () => readonly ShardFigure[] | Promise<readonly ShardFigure[]>,
  { name, help, read }: ShardGauge,
): void {
  new Gauge<"shard">({
    name,
    help,
    labelNames: ["shard"],
    registers,
    async collect() {
      const shards = await list();
      // A shard that is gone is not shown.
      this.reset();
      for (const shard of shards) {
        const value = read(shard);
        if (value !== null) this.set({ shard: shard.name }, value);
      }
    },
  });
}
