/** The words of a delivery's row, derived from its state and attempts. Pure. */
import type { DeliveryState, DeliveryStatus } from "../../domain/delivery.ts";
import { isPulled } from "../../domain/pull.ts";
import { type RetrySchedule, attemptsMax } from "../../domain/retry-schedule.ts";
import type { ReportedDestination } from "../../store/contract/destinations.ts";
import type { ListedDelivery } from "../../store/contract/log.ts";
import type { DeliveryRow } from "../contract/deliveries.ts";
import type { OutcomeClass } from "../contract/outcomes.ts";
import { classOfStatus } from "../explain/outcome.ts";
import { toCode } from "../destinations/health.ts";

/** A pending delivery has its first attempt ahead of it, or one that failed behind it. */
export function toStatus(state: DeliveryState, attemptsInSchedule: number): DeliveryStatus {
  if (state !== "pending") return state;
  return attemptsInSchedule > 0 ? "retrying" : "waiting";
}

export interface RowContext {
  readonly schedule: RetrySchedule;
  /** By id, those of deleted owners included. */
  readonly destinations: ReadonlyMap<string, ReportedDestination>;
}

export function toDeliveryRow(delivery: ListedDelivery, { schedule, destinations }: RowContext): DeliveryRow {
  const { id, isTest, eventType, sourceId, about, attemptsMade, attemptsInSchedule, createdAtMs, state, last } =
    delivery;
  const destination = delivery.destinationId === null ? undefined : destinations.get(delivery.destinationId);
  return {
    id,
    status: toStatus(state, attemptsInSchedule),
    isTest,
    eventType,
    sourceId,
    about,
    destination:
      destination === undefined ? null : { id: destination.id, url: destination.url, owner: destination.owner },
    last: last === null ? null : { code: toCode(last), class: toClass(last), totalMs: last.totalMs },
    attemptsMade,
    attemptsInSchedule,
    attemptsMax: attemptsMax(schedule),
    nextAttemptAtMs: nextAttemptAtMs(delivery, destination),
    createdAtMs,
  };
}

/**
 * `null` also while its destination is paused or off, where it waits until somebody turns that on; and where a program
 * asks.
 */
export function nextAttemptAtMs(
  { state, dueAtMs }: Pick<ListedDelivery, "state" | "dueAtMs">,
  destination: Pick<ReportedDestination, "state" | "notBeforeMs" | "url"> | undefined,
): number | null {
  if (state !== "pending" || dueAtMs === null || destination?.state !== "on" || isPulled(destination)) return null;
  return Math.max(dueAtMs, destination.notBeforeMs);
}

/** When the last attempt of the schedule would start, should all before it fail; jitter evens out. */
export function lastAttemptAtMs(
  schedule: RetrySchedule,
  { nextAtMs, attemptsInSchedule }: { readonly nextAtMs: number | null; readonly attemptsInSchedule: number },
): number | null {
  if (nextAtMs === null) return null;
  return schedule.delaysMs.slice(attemptsInSchedule).reduce((sum, delayMs) => sum + delayMs, nextAtMs);
}

const CLASS_OF_OUTCOME: Readonly<Record<string, OutcomeClass>> = {
  timeout: "timeout",
  dns_error: "name_not_found",
  tls_error: "certificate",
  network_error: "connection",
  blocked: "blocked",
  proxy_error: "proxy",
  token_error: "token",
  pulled: "success",
  not_acknowledged: "not_acknowledged",
  body_error: "body",
  internal_error: "our_fault",
};

/** Without the details that only the attempt itself has: enough for an icon in a list. */
export function toClass({ outcome, status }: { readonly outcome: string; readonly status: number | null }) {
  return status === null ? (CLASS_OF_OUTCOME[outcome] ?? "our_fault") : classOfStatus(status);
}

/** Why a delivery cannot be sent again, in words; `null` when it can. The store checks the same when it is asked to. */
export function notResendable(
  delivery: { readonly state: DeliveryState; readonly isTest: boolean; readonly body: string | null },
  destination: Pick<ReportedDestination, "owner" | "state"> | null,
): string | null {
  if (delivery.isTest) return "It was a test; send a new test instead.";
  if (delivery.body === null) return "Its payload is older than the retention time and was deleted.";
  if (destination === null || destination.owner.isDeleted)
    return "Its webhook was deleted; there is nowhere to send it.";
  if (delivery.state !== "pending" || destination.state === "on") return null;
  const why = destination.state === "paused" ? "is paused" : "was turned off";
  return `Its webhook ${why}. Turn it on: what waits goes out then.`;
}
