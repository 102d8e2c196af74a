/**
 * Values that are read at the moment of a scrape or of a push to a collector, so that no code has to keep them up to
 * date.
 */
import { Counter, Gauge, type Registry } from "prom-client";
import type { Metrics } from "./metrics.ts";

export interface GaugeSources {
  /** The deliveries that this node holds. */
  readonly lanes: () => { readonly inFlight: number; readonly deliveries: number };
  /** The maximum of `lanes().deliveries`. */
  readonly deliveriesMax: number;
  /** The deliveries that wait in the store; `null` when the store cannot be asked now. */
  readonly waiting: () => Promise<{ readonly waiting: number; readonly oldestDueAgeSeconds: number } | null>;
  /** The records that the product has emitted and no node has accepted yet; `null` likewise. */
  readonly inbox: () => Promise<{ readonly waiting: number; readonly oldestAgeSeconds: number } | null>;
  /** The number of destinations in each condition; `null` likewise. */
  readonly destinations: () => Promise<Readonly<Record<string, number>> | null>;
  /** Seconds since `bellwire backup` last made a copy; `null` when it never did, or there is no file to copy. */
  readonly backupAge: () => number | null;
  /** Since the start. */
  readonly logLinesDropped: () => number;
  readonly build: Readonly<Record<"version" | "node" | "store", string>>;
}

export function registerGauges({ registry }: Metrics, sources: GaugeSources): void {
  const registers = [registry];
  new Gauge<"version" | "node" | "store">({
    name: "bellwire_build_info",
    help: "Always 1; its labels say what runs here.",
    labelNames: ["version", "node", "store"],
    registers,
  }).set(sources.build, 1);
  new Counter({
    name: "bellwire_log_lines_dropped_total",
    help: "Lines of the log that could not be written: a full disk, or a reader that hangs or has gone.",
    registers,
    collect() {
      this.reset();
      this.inc(sources.logLinesDropped());
    },
  });
  new Gauge({
    name: "bellwire_backup_age_seconds",
    help: "How long ago `bellwire backup` last made a copy of the SQLite database; left out where it never did.",
    registers,
    collect() {
      const seconds = sources.backupAge();
      if (seconds === null) this.remove();
      else this.set(seconds);
    },
  });
  registerLaneGauges(registers, sources);
  registerStoreGauges(registers, sources);
  registerInboxGauges(registers, sources);
}

function registerLaneGauges(registers: Registry[], { lanes, deliveriesMax }: GaugeSources): void {
  new Gauge({
    name: "bellwire_attempts_in_flight",
    help: "Attempts under way on this node.",
    registers,
    collect() {
      this.set(lanes().inFlight);
    },
  });
  new Gauge({
    name: "bellwire_deliveries_held",
    help: "Deliveries in this node's hands: under way, buffered or being committed.",
    registers,
    collect() {
      this.set(lanes().deliveries);
    },
  });
  new Gauge({
    name: "bellwire_deliveries_held_max",
    help: "What bellwire_deliveries_held may reach: BELLWIRE_IN_FLIGHT_MAX.",
    registers,
  }).set(deliveriesMax);
}

/**
 * Counts of the store, on PostgreSQL for all nodes together. While the store cannot be asked these are left out: an old
 * figure would look like a present one.
 */
function registerStoreGauges(registers: Registry[], { destinations, ...sources }: GaugeSources): void {
  const waiting = askedOnce(sources.waiting);
  new Gauge({
    name: "bellwire_oldest_due_seconds",
    help: "How long the delivery that is due the longest has been waiting; 0 when none is due.",
    registers,
    async collect() {
      const counted = await waiting();
      if (counted === null) this.remove();
      else this.set(counted.oldestDueAgeSeconds);
    },
  });
  new Gauge({
    name: "bellwire_deliveries_waiting",
    help: "Deliveries in the store that are pending, without those of a shard that is away.",
    registers,
    async collect() {
      const counted = await waiting();
      if (counted === null) this.remove();
      else this.set(counted.waiting);
    },
  });
  new Gauge<"condition">({
    name: "bellwire_destinations",
    help: "Destinations: on, failing (the last attempt did), held (nothing is sent for now), paused, or off.",
    labelNames: ["condition"],
    registers,
    async collect() {
      const counted = await destinations();
      this.reset();
      for (const [condition, count] of Object.entries(counted ?? {})) this.set({ condition }, count);
    },
  });
}

function registerInboxGauges(registers: Registry[], sources: GaugeSources): void {
  const inbox = askedOnce(sources.inbox);
  new Gauge({
    name: "bellwire_inbox_oldest_seconds",
    help: "How long ago the oldest record of the inbox was emitted; 0 when it is empty.",
    registers,
    async collect() {
      const counted = await inbox();
      if (counted === null) this.remove();
      else this.set(counted.oldestAgeSeconds);
    },
  });
  new Gauge({
    name: "bellwire_inbox_waiting",
    help: "Records in the inbox that are not events yet, those that wait for their account included.",
    registers,
    async collect() {
      const counted = await inbox();
      if (counted === null) this.remove();
      else this.set(counted.waiting);
    },
  });
}

/** Two gauges of one scrape share one question. */
export function askedOnce<Value>(ask: () => Promise<Value>): () => Promise<Value> {
  let asking: Promise<Value> | null = null;
  return () => (asking ??= ask().finally(() => (asking = null)));
}
