/** Figures of each shard, and as many series as there are shards; none where the home shard is the only one. */
import { instrumentsOf } from "../lib/instruments.ts";
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
  const { counter, histogram, gaugeBy } = instrumentsOf(registry);
  const failed = counter(
    "bellwire_shard_calls_failed_total",
    "Calls that failed for want of a shard: lost (it was asked), or refused (it was known to be away).",
    "shard",
    "reason",
  );
  const bins = { buckets: CALL_BUCKETS, labels: ["shard"] } as const;
  const seconds = histogram("bellwire_shard_transaction_seconds", "Time of a call of this node to a shard.", bins);
  // Prometheus sees no growth in a series that appears with 1.
  const startAtZero = (): void => {
    for (const { name } of sources.list()) for (const reason of REASONS) failed.inc({ shard: name, reason }, 0);
  };
  startAtZero();
  sources.follow(({ shard, result, durationMs }) => {
    if (result !== "done") failed.inc({ shard, reason: result });
    if (result !== "refused") seconds.observe({ shard }, durationMs / 1000);
  });
  gaugeBy("bellwire_shard_away", "1 while this node cannot reach a shard, and 0 otherwise.", {
    label: "shard",
    read() {
      startAtZero();
      return sources.list().map(({ name, isAway }) => [name, isAway ? 1 : 0]);
    },
  });
  /** A figure of each shard that could be asked. */
  const counted = async (read: (waits: NonNullable<ShardFigure["waits"]>) => number) => {
    await sources.count();
    return sources.list().flatMap(({ name, waits }) => (waits === null ? [] : [[name, read(waits)] as const]));
  };
  gaugeBy(
    "bellwire_shard_deliveries_waiting",
    "Deliveries of a shard's accounts that are pending; not shown while it is away.",
    { label: "shard", read: () => counted(({ waiting }) => waiting) },
  );
  gaugeBy(
    "bellwire_shard_oldest_due_seconds",
    "How long the delivery that is due the longest in a shard has been waiting; not shown while it is away.",
    {
      label: "shard",
      read: () => counted(({ oldestDueAtMs: at }) => (at === null ? 0 : Math.max(0, sources.nowMs() - at) / 1000)),
    },
  );
}
