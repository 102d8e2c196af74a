/**
 * The numbers an operator watches, under Prometheus' names: counters of events here, present values in `gauges.ts`.
 * Every metric of the program is declared once, here or there; tests recount the store's rows against them. Counting
 * a webhook takes 1.5 µs of CPU (measured), because prom-client hashes the labels each time.
 */
import { DESTINATION_OFF_REASONS } from "../domain/destination.ts";
import { Counter, Histogram, Registry } from "prom-client";
import { collectProcessMetrics } from "./event-loop.ts";

/** Seconds. From a commit on fast storage to a disk in trouble; from a near receiver to the deadline. */
const COMMIT_BUCKETS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5];
const ATTEMPT_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15];
/** From the first attempt, at once, to the last retry after three days. */
const DELIVERY_BUCKETS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 15, 60, 300, 1_800, 7_200, 21_600, 86_400, 259_200];

const INBOX_RESULTS = ["accepted", "duplicate", "refused"] as const;

export type Metrics = ReturnType<typeof createMetrics>;

/** `events`: the names of event types, whose counters begin at zero. */
export function createMetrics(events: readonly string[] = []) {
  const registry = new Registry();
  collectProcessMetrics(registry);
  const registers = [registry];
  const intake = intakeMetrics(registers);
  const destinations = destinationMetrics(registers);
  const own = ownMetrics(registers);
  startAtZero({ ...intake, ...destinations, ...own }, events);
  return { registry, ...intake, ...attemptMetrics(registers), ...destinations, ...storeMetrics(registers), ...own };
}

/** Prometheus sees no growth in a series that appears with 1: an alarm on its increase would miss the first. */
function startAtZero(metrics: Closed, events: readonly string[]): void {
  for (const event of events) {
    metrics.accepted.inc({ event }, 0);
    metrics.duplicates.inc({ event }, 0);
    for (const result of INBOX_RESULTS) metrics.inboxRecords.inc({ event, result }, 0);
  }
  for (const reason of DESTINATION_OFF_REASONS) metrics.turnedOff.inc({ reason }, 0);
  for (const result of ["sent", "dropped", "failed"]) metrics.telemetrySpans.inc({ result }, 0);
  for (const result of ["sent", "failed"]) metrics.telemetryPushes.inc({ result }, 0);
}

/** Counters with a closed set of labels. */
interface Closed extends ReturnType<typeof intakeMetrics> {
  readonly turnedOff: Counter<"reason">;
  readonly telemetrySpans: Counter<"result">;
  readonly telemetryPushes: Counter<"result">;
}

const intakeMetrics = (registers: Registry[]) => ({
  intakeSeconds: new Histogram<"route" | "status">({
    name: "bellwire_intake_request_seconds",
    help: "Time of a call of intake, from its headers to the end of the answer. Calls with a wrong key do not count.",
    labelNames: ["route", "status"],
    buckets: COMMIT_BUCKETS,
    registers,
  }),
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
  inboxRecords: new Counter<"event" | "result">({
    name: "bellwire_inbox_records_total",
    help: "Records that this node took out of the inbox, by what became of them: accepted, duplicate or refused.",
    labelNames: ["event", "result"],
    registers,
  }),
});

const attemptMetrics = (registers: Registry[]) => ({
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
  deliverySeconds: new Histogram<"event">({
    name: "bellwire_delivery_seconds",
    help: "Time from an event's acceptance, or a delivery's last resend, to its arrival.",
    labelNames: ["event"],
    buckets: DELIVERY_BUCKETS,
    registers,
  }),
  claimsLost: new Counter({
    name: "bellwire_claims_lost_total",
    help: "Attempts whose claim had run out before they were settled: each may mean a delivery sent twice.",
    registers,
  }),
  claimSeconds: new Histogram({
    name: "bellwire_claim_seconds",
    help: "Time of a round that looks for due deliveries, whether it finds any or not.",
    buckets: COMMIT_BUCKETS,
    registers,
  }),
  claimed: new Counter({
    name: "bellwire_claimed_deliveries_total",
    help: "Deliveries that those rounds found: retries, backlog, and what other nodes left.",
    registers,
  }),
});

const destinationMetrics = (registers: Registry[]) => ({
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
});

const storeMetrics = (registers: Registry[]) => ({
  commitSeconds: new Histogram({
    name: "bellwire_commit_seconds",
    help: "Time of a commit, sync included: on SQLite of any calls, on PostgreSQL of accepts or settlements.",
    buckets: COMMIT_BUCKETS,
    registers,
  }),
  commitWaitSeconds: new Histogram({
    name: "bellwire_commit_wait_seconds",
    help: "How long the first call of a commit had waited for its turn.",
    buckets: COMMIT_BUCKETS,
    registers,
  }),
  commitCommands: new Counter({
    name: "bellwire_commit_commands_total",
    help: "Store calls that were committed; divided by bellwire_commit_seconds_count, how many share a sync.",
    registers,
  }),
});

/** Metrics of Bellwire itself, and of its own way to a collector. */
const ownMetrics = (registers: Registry[]) => ({
  failures: new Counter({
    name: "bellwire_failures_total",
    help: "Times that something of Bellwire itself went wrong; the log says what.",
    registers,
  }),
  telemetrySpans: new Counter<"result">({
    name: "bellwire_telemetry_spans_total",
    help: "Spans for the collector: sent, dropped because too many waited, or failed because it did not take them.",
    labelNames: ["result"],
    registers,
  }),
  telemetryPushes: new Counter<"result">({
    name: "bellwire_telemetry_metric_exports_total",
    help: "Times that all metrics were sent to the collector, by whether it took them.",
    labelNames: ["result"],
    registers,
  }),
});
