/**
 * Values that are read at the moment of a scrape or of a push to a collector, so that no code has to keep them up to
 * date.
 */
import { Counter, Gauge } from "prom-client";
import { askedOnce, instrumentsOf } from "../lib/instruments.ts";
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
  readonly isHeld: () => boolean;
  /** Since the start. */
  readonly logLinesDropped: () => number;
  readonly build: Readonly<Record<"version" | "node" | "store", string>>;
}

export function registerGauges({ registry }: Pick<Metrics, "registry">, sources: GaugeSources): void {
  const { gauge, gaugeBy } = instrumentsOf(registry);
  new Gauge<"version" | "node" | "store">({
    name: "bellwire_build_info",
    help: "Always 1; its labels say what runs here.",
    labelNames: ["version", "node", "store"],
    registers: [registry],
  }).set(sources.build, 1);
  new Counter({
    name: "bellwire_log_lines_dropped_total",
    help: "Lines of the log that could not be written: a full disk, or a reader that hangs or has gone.",
    registers: [registry],
    collect() {
      this.reset();
      this.inc(sources.logLinesDropped());
    },
  });
  gauge(
    "bellwire_backup_age_seconds",
    "How long ago `bellwire backup` last made a copy of the SQLite database; left out where it never did.",
    sources.backupAge,
  );
  gauge("bellwire_held", "1 while nothing is accepted or sent, because nobody has run `bellwire adopt` yet.", () =>
    sources.isHeld() ? 1 : 0,
  );
  gauge("bellwire_attempts_in_flight", "Attempts under way on this node.", () => sources.lanes().inFlight);
  gauge(
    "bellwire_deliveries_held",
    "Deliveries in this node's hands: under way, buffered or being committed.",
    () => sources.lanes().deliveries,
  );
  gauge(
    "bellwire_deliveries_held_max",
    "What bellwire_deliveries_held may reach: BELLWIRE_IN_FLIGHT_MAX.",
    () => sources.deliveriesMax,
  );
  // Counts of the store, on PostgreSQL for all nodes together; left out while it cannot be asked.
  const [waiting, inbox] = [askedOnce(sources.waiting), askedOnce(sources.inbox)];
  gauge(
    "bellwire_oldest_due_seconds",
    "How long the delivery that is due the longest has been waiting; 0 when none is due.",
    async () => (await waiting())?.oldestDueAgeSeconds ?? null,
  );
  gauge(
    "bellwire_deliveries_waiting",
    "Deliveries in the store that are pending, without those of a shard that is away.",
    async () => (await waiting())?.waiting ?? null,
  );
  gaugeBy(
    "bellwire_destinations",
    "Destinations: on, failing (the last attempt did), held (nothing is sent for now), paused, or off.",
    { label: "condition", read: async () => Object.entries((await sources.destinations()) ?? {}) },
  );
  gauge(
    "bellwire_inbox_oldest_seconds",
    "How long ago the oldest record of the inbox was emitted; 0 when it is empty.",
    async () => (await inbox())?.oldestAgeSeconds ?? null,
  );
  gauge(
    "bellwire_inbox_waiting",
    "Records in the inbox that are not events yet, those that wait for their account included.",
    async () => (await inbox())?.waiting ?? null,
  );
}
