/**
 * The numbers an operator watches, in Prometheus' names: counters of what happened, gauges of what is so now. Every
 * metric of the program is declared here once; tests recount the store's rows against them.
 */
import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from "prom-client";

/** Seconds. From a commit on fast storage to a disk in trouble; from a near receiver to the deadline. */
const COMMIT_BUCKETS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5];
const ATTEMPT_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15];

export interface MetricsSources {
  /** What is in this node's hands; asked at each scrape. */
  readonly lanes: () => { readonly inFlight: number; readonly held: number };
  /** What waits in the store; `null` when it cannot be asked now. */
  readonly waiting: () => Promise<{ readonly waiting: number; readonly oldestDueAgeSeconds: number } | null>;
}

export type Metrics = ReturnType<typeof createMetrics>;

export function createMetrics() {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  return {
    registry,
    accepted: new Counter<"event">({
      name: "bellwire_events_accepted_total",
      help: "Events committed by this node.",
      labelNames: ["event"],
      registers,
    }),
    duplicates: new Counter<"event">({
      name: "bellwire_events_duplicate_total",
      help: "Records that were known already; nothing was sent for them.",
      labelNames: ["event"],
      registers,
    }),
    attempts: new Counter<"event" | "outcome" | "verdict">({
      name: "bellwire_attempts_total",
      help: "Attempts that this node made and settled, by what they met and what follows. Tests are not counted.",
      labelNames: ["event", "outcome", "verdict"],
      registers,
    }),
    attemptSeconds: new Histogram<"outcome">({
      name: "bellwire_attempt_seconds",
      help: "Time from the start of an attempt to its end.",
      labelNames: ["outcome"],
      buckets: ATTEMPT_BUCKETS,
      registers,
    }),
    claimsLost: new Counter({
      name: "bellwire_claims_lost_total",
      help: "Attempts whose claim had run out before they were settled: each may mean a delivery sent twice.",
      registers,
    }),
    turnedOff: new Counter<"reason">({
      name: "bellwire_destinations_turned_off_total",
      help: "Destinations that this node's attempts turned off: gone (410), or failing for days.",
      labelNames: ["reason"],
      registers,
    }),
    tests: new Counter<"outcome">({
      name: "bellwire_test_deliveries_total",
      help: "Test deliveries; they count in no other metric.",
      labelNames: ["outcome"],
      registers,
    }),
    failures: new Counter({
      name: "bellwire_failures_total",
      help: "Times that something of Bellwire itself went wrong; the log says what.",
      registers,
    }),
    commitSeconds: new Histogram({
      name: "bellwire_commit_seconds",
      help: "Time of a commit of the store, sync included.",
      buckets: COMMIT_BUCKETS,
      registers,
    }),
    commitCommands: new Counter({
      name: "bellwire_commit_commands_total",
      help: "Store calls that were committed; divided by bellwire_commit_seconds_count, how many share a sync.",
      registers,
    }),
  };
}

/** Gauges that are read at the moment of a scrape, so that nothing has to keep them up to date. */
export function registerGauges(metrics: Metrics, sources: MetricsSources): void {
  const registers = [metrics.registry];
  new Gauge({
    name: "bellwire_in_flight",
    help: "Attempts under way on this node.",
    registers,
    collect() {
      this.set(sources.lanes().inFlight);
    },
  });
  new Gauge({
    name: "bellwire_held",
    help: "Deliveries in this node's hands: under way, buffered or being committed.",
    registers,
    collect() {
      this.set(sources.lanes().held);
    },
  });
  const oldest = new Gauge({
    name: "bellwire_oldest_due_seconds",
    help: "How long the delivery that is due the longest has been waiting; 0 when none is due.",
    registers,
  });
  new Gauge({
    name: "bellwire_deliveries_waiting",
    help: "Deliveries in the store that are pending.",
    registers,
    async collect() {
      const counted = await sources.waiting();
      if (counted === null) return;
      this.set(counted.waiting);
      oldest.set(counted.oldestDueAgeSeconds);
    },
  });
}
