/**
 * The facts of the event's path as log lines and metrics. One wide line per attempt answers every question at night:
 * the outcome, the verdict, and the next try.
 */
import type { Outcome, SendResult } from "../domain/attempt.ts";
import type { DeliveryReport, AttemptFact } from "../delivery/report.ts";
import type { Logger } from "./log.ts";
import type { Metrics } from "./metrics.ts";
import type { Traces } from "./traces.ts";

/** `traces` is `null` when nothing is traced. */
export function createReport(log: Logger, metrics: Metrics, traces: Traces | null = null): DeliveryReport {
  return {
    accepted({ type, accepted, duplicates }) {
      if (accepted > 0) metrics.accepted.inc({ event: type }, accepted);
      if (duplicates > 0) metrics.duplicates.inc({ event: type }, duplicates);
      log.debug({ event_type: type, accepted, duplicates }, "event.accepted");
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
      log[findLevel(fact)](attemptLine(fact), "delivery.attempted");
      traces?.attempted(fact);
    },
    // A debug line for each would only repeat `event.accepted` and, later, `delivery.attempted`.
    queued: () => {},
    replaysStepped: () => {},
    claimLost(fact) {
      metrics.claimsLost.inc();
      log.warn({ delivery_id: fact.deliveryId, attempt: fact.attemptNumber }, "claim.lost");
      traces?.attempted(fact);
    },
    turnedOff({ accountId, destinationId, reason }) {
      metrics.turnedOff.inc({ reason });
      log.warn({ account_id: accountId, destination_id: destinationId, reason }, "destination.turned_off");
    },
    tested({ accountId, deliveryId, result }) {
      metrics.tests.inc({ outcome: outcomeLabel(result.outcome) });
      log.info({ account_id: accountId, delivery_id: deliveryId, ...outcomeFields(result) }, "delivery.tested");
    },
    failed({ what, error }) {
      metrics.failures.inc();
      log.error({ err: error, what }, "bellwire.failed");
    },
  };
}

/** A failed attempt is usual for a receiver; using up the last attempt, or losing the destination, is not. */
function findLevel({ verdict }: AttemptFact): "info" | "warn" {
  return verdict.kind === "exhausted" || (verdict.kind === "retry" && verdict.destinationOff !== null)
    ? "warn"
    : "info";
}

function attemptLine(fact: AttemptFact): Record<string, unknown> {
  const { verdict } = fact;
  return {
    delivery_id: fact.deliveryId,
    event_id: fact.eventId,
    event_type: fact.eventType,
    account_id: fact.accountId,
    destination_id: fact.destinationId,
    attempt: fact.attemptNumber,
    origin: fact.origin,
    ...outcomeFields(fact.result),
    verdict: verdict.kind,
    ...(verdict.kind === "retry" ? { next_attempt_at: new Date(verdict.dueAtMs).toISOString() } : {}),
    ...(verdict.kind === "retry" && verdict.isFree ? { free: true } : {}),
    ...(fact.heldUntilMs > 0 ? { destination_held_until: new Date(fact.heldUntilMs).toISOString() } : {}),
    ...(verdict.kind !== "delivered" && verdict.destinationOff !== null
      ? { destination_off: verdict.destinationOff }
      : {}),
  };
}

function outcomeFields({ outcome, timings, address }: SendResult): Record<string, unknown> {
  const total = Math.round(timings.totalMs * 10) / 10;
  return { outcome: outcome.kind, ...toDetail(outcome), address, total_ms: total };
}

function toDetail(outcome: Outcome): Record<string, unknown> {
  switch (outcome.kind) {
    case "response":
      return { status: outcome.response.status };
    case "timeout":
      return { phase: outcome.phase };
    case "dns_error":
    case "tls_error":
    case "network_error":
    case "proxy_error":
      return { error_code: outcome.code, error: outcome.message };
    case "blocked":
    case "internal_error":
      return { error: outcome.message };
  }
}

/** A closed set: statuses by their hundred, other outcomes by their kind. */
function outcomeLabel(outcome: Outcome): string {
  if (outcome.kind !== "response") return outcome.kind;
  const hundreds = Math.floor(outcome.response.status / 100);
  return hundreds >= 1 && hundreds <= 5 ? `status_${hundreds}xx` : "status_other";
}
