/**
 * The numbers an operator watches, under Prometheus' names: counters of events here, present values in `gauges.ts`.
 * Every metric of the program is declared once, here or there; tests recount the store's rows against them. Counting
 * a webhook takes 1.5 µs of CPU (measured), because prom-client hashes the labels each time.
 */
import { DESTINATION_OFF_REASONS } from "../domain/destination.ts";
import { type Counter, Registry } from "prom-client";
import { instrumentsOf } from "../lib/instruments.ts";
import { collectProcessMetrics } from "../lib/event-loop.ts";

/** Seconds. From a commit on fast storage to a disk in trouble; from a near receiver to the deadline. */
const COMMIT_BUCKETS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5];
const ATTEMPT_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15];
/** From the first attempt, at once, to the last retry after three days. */
const DELIVERY_BUCKETS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 15, 60, 300, 1_800, 7_200, 21_600, 86_400, 259_200];

type Instruments = ReturnType<typeof instrumentsOf>;

const INBOX_RESULTS = ["accepted", "duplicate", "refused"] as const;

export type Metrics = ReturnType<typeof createMetrics>;

/** `events`: the names of event types, whose counters begin at zero. */
export function createMetrics(events: readonly string[] = []) {
  const registry = new Registry();
  collectProcessMetrics(registry);
  const instruments = instrumentsOf(registry);
  const intake = intakeMetrics(instruments);
  const destinations = destinationMetrics(instruments);
  const own = ownMetrics(instruments);
  startAtZero({ ...intake, ...destinations, ...own }, events);
  return { registry, ...intake, ...attemptMetrics(instruments), ...destinations, ...storeMetrics(instruments), ...own };
}

/** Prometheus sees no growth in a series that appears with 1: an alarm on its increase would miss the first. */
function startAtZero(metrics: Closed, events: readonly string[]): void {
  for (const event of events) {
    metrics.accepted.inc({ event }, 0);
    metrics.duplicates.inc({ event }, 0);
    metrics.differing.inc({ event }, 0);
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

const intakeMetrics = ({ counter, histogram }: Instruments) => ({
  intakeSeconds: histogram(
    "bellwire_intake_request_seconds",
    "Time of a call of intake, from its headers to the end of the answer. Calls with a wrong key do not count.",
    { buckets: COMMIT_BUCKETS, labels: ["route", "status"] },
  ),
  accepted: counter("bellwire_events_accepted_total", "Events committed by this node.", "event"),
  duplicates: counter(
    "bellwire_events_duplicate_total",
    "Records that were known already; nothing was sent for them.",
    "event",
  ),
  differing: counter(
    "bellwire_events_differing_total",
    "Records under a known key with other content than the first one's; nothing was sent for them.",
    "event",
  ),
  inboxRecords: counter(
    "bellwire_inbox_records_total",
    "Records that this node took out of the inbox, by what became of them: accepted, duplicate or refused.",
    "event",
    "result",
  ),
});

const attemptMetrics = ({ counter, histogram }: Instruments) => ({
  attempts: counter(
    "bellwire_attempts_total",
    "Attempts that this node made and settled, by what they met and what follows. Tests are not counted.",
    "event",
    "outcome",
    "verdict",
  ),
  attemptSeconds: histogram("bellwire_attempt_seconds", "Time from the start of an attempt to its end.", {
    buckets: ATTEMPT_BUCKETS,
    labels: ["outcome"],
  }),
  deliverySeconds: histogram(
    "bellwire_delivery_seconds",
    "Time from an event's acceptance, or a delivery's last resend, to its arrival.",
    { buckets: DELIVERY_BUCKETS, labels: ["event"] },
  ),
  pulled: counter(
    "bellwire_pulled_messages_total",
    "Messages that programs asked for, by their end: acknowledged, not_acknowledged (due again) or failed.",
    "end",
  ),
  claimsLost: counter(
    "bellwire_claims_lost_total",
    "Attempts whose claim had run out before they were settled: each may mean a delivery sent twice.",
  ),
  claimSeconds: histogram(
    "bellwire_claim_seconds",
    "Time of a round that looks for due deliveries, whether it finds any or not.",
    { buckets: COMMIT_BUCKETS, labels: [] },
  ),
  claimed: counter(
    "bellwire_claimed_deliveries_total",
    "Deliveries that those rounds found: retries, backlog, and what other nodes left.",
  ),
});

const destinationMetrics = ({ counter }: Instruments) => ({
  turnedOff: counter(
    "bellwire_destinations_turned_off_total",
    "Destinations that this node's attempts turned off: gone (410), or failing for days.",
    "reason",
  ),
  tests: counter("bellwire_test_deliveries_total", "Test deliveries; they count in no other metric.", "outcome"),
});

const storeMetrics = ({ counter, histogram }: Instruments) => ({
  commitSeconds: histogram(
    "bellwire_commit_seconds",
    "Time of a commit, sync included: on SQLite of most calls, on PostgreSQL of accepts or settlements.",
    { buckets: COMMIT_BUCKETS, labels: [] },
  ),
  commitWaitSeconds: histogram(
    "bellwire_commit_wait_seconds",
    "How long the first call of a commit had waited for its turn.",
    { buckets: COMMIT_BUCKETS, labels: [] },
  ),
  commitCommands: counter(
    "bellwire_commit_commands_total",
    "Store calls that were committed; divided by bellwire_commit_seconds_count, how many share a sync.",
  ),
});

/** Metrics of Bellwire itself, and of its own way to a collector. */
const ownMetrics = ({ counter }: Instruments) => ({
  failures: counter(
    "bellwire_failures_total",
    "Times that something of Bellwire itself went wrong; the log says what.",
  ),
  telemetrySpans: counter(
    "bellwire_telemetry_spans_total",
    "Spans for the collector: sent, dropped because too many waited, or failed because it did not take them.",
    "result",
  ),
  telemetryPushes: counter(
    "bellwire_telemetry_metric_exports_total",
    "Times that all metrics were sent to the collector, by whether it took them.",
    "result",
  ),
});
