/**
 * The facts of the event's path as log lines and metrics. One wide line per attempt answers every question at night:
 * the outcome, the verdict, and the next try.
 */
import type { Outcome } from "../domain/attempt.ts";
import type { DeliveryReport, AttemptFact } from "../delivery/report.ts";
import { formatAttempt, formatTest } from "./attempt-line.ts";
import type { TellFailure } from "./failures.ts";
import type { Log } from "./log.ts";
import type { Metrics } from "./metrics.ts";
import type { Repeats } from "../lib/repeats.ts";
import type { Traces } from "./traces.ts";

export interface ReportContext {
  readonly log: Log;
  readonly metrics: Metrics;
  readonly repeats: Repeats;
  readonly tellFailure: TellFailure;
  /** `null` when nothing is traced. */
  readonly traces: Traces | null;
}

export function createReport({ log, metrics, repeats, tellFailure, traces }: ReportContext): DeliveryReport {
  return {
    accepted({ type, accepted, duplicates, differing }) {
      if (accepted > 0) metrics.accepted.inc({ event: type }, accepted);
      if (duplicates > 0) metrics.duplicates.inc({ event: type }, duplicates);
      if (differing > 0) metrics.differing.inc({ event: type }, differing);
      log.debug({ event_type: type, accepted, duplicates, differing }, "event.accepted");
    },
    claimed({ deliveries, durationMs }) {
      metrics.claimSeconds.observe(durationMs / 1000);
      if (deliveries > 0) metrics.claimed.inc(deliveries);
    },
    attempted(fact) {
      const outcome = outcomeLabel(fact.result.outcome);
      metrics.attempts.inc({ event: fact.eventType, outcome, verdict: fact.verdict.kind });
      metrics.attemptSeconds.observe({ outcome }, fact.result.timings.totalMs / 1000);
      if (fact.verdict.kind === "delivered") {
        const arrivedMs = fact.waitedMs + fact.result.timings.totalMs;
        metrics.deliverySeconds.observe({ event: fact.eventType }, arrivedMs / 1000);
      }
      log.writeFields(findLevel(fact), () => formatAttempt(fact), "delivery.attempted");
      traces?.attempted(fact);
    },
    // A debug line for each would only repeat `event.accepted` and, later, `delivery.attempted`.
    queued: () => {},
    assistantsCreated: () => {},
    replaysStepped: () => {},
    claimLost(fact) {
      metrics.claimsLost.inc();
      const first = { delivery_id: fact.deliveryId, attempt: fact.attemptNumber };
      repeats.tell({ key: "", level: "warn", message: "claim.lost", fields: {}, first });
      traces?.attempted(fact);
    },
    turnedOff({ accountId, destinationId, reason }) {
      metrics.turnedOff.inc({ reason });
      log.warn({ account_id: accountId, destination_id: destinationId, reason }, "destination.turned_off");
    },
    tested(fact) {
      metrics.tests.inc({ outcome: outcomeLabel(fact.result.outcome) });
      log.writeFields("info", () => formatTest(fact), "delivery.tested");
    },
    pulled({ accountId, destinationId, acknowledged, notAcknowledged, failed }) {
      const counts = {
        acknowledged: acknowledged.length,
        not_acknowledged: notAcknowledged.length,
        failed: failed.length,
      };
      for (const [end, count] of Object.entries(counts)) if (count > 0) metrics.pulled.inc({ end }, count);
      log.debug({ account_id: accountId, destination_id: destinationId, ...counts }, "messages.pulled");
    },
    failed: tellFailure,
  };
}

/** A failed attempt is usual for a receiver; using up the last attempt, or losing the destination, is not. */
function findLevel({ verdict }: AttemptFact): "info" | "warn" {
  return verdict.kind === "exhausted" || (verdict.kind === "retry" && verdict.destinationOff !== null)
    ? "warn"
    : "info";
}

/** A closed set: statuses by their hundred, other outcomes by their kind. */
function outcomeLabel(outcome: Outcome): string {
  if (outcome.kind !== "response") return outcome.kind;
  const hundreds = Math.floor(outcome.response.status / 100);
  return hundreds >= 1 && hundreds <= 5 ? `status_${hundreds}xx` : "status_other";
}
