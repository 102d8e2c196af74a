/**
 * Settling: the attempt and what becomes of its delivery, in one step, only for the node that still holds the claim.
 * Here is what a settlement says to the charts and to its destination: pure, and called for every attempt. How it is
 * written is each store's own.
 *
 * Invariant: `pending` is the only state that is left, so no illegal edge can be taken; a delivery whose claim was lost
 * is not touched and its attempt is not written. An attempt that is settled is counted, once, and nothing else is.
 */
import type { OutcomeKind } from "../../../domain/attempt.ts";
import type { NotedAttempt } from "../../../domain/destination-now.ts";
import { findBin } from "../../../domain/histogram.ts";
import { minutesMs } from "../../../lib/duration.ts";
import type { AttemptCount } from "../../contract/log.ts";
import type { Settlement } from "../../contract/path.ts";
import { toPeriodStart } from "../figures/count-tiers.ts";

/** A settled delivery as the settling statement gives it back. */
export interface SettledRow {
  readonly destinationId: string;
  readonly acceptedAtMs: number;
}

/** The part of a packed attempt that settling looks at. */
export interface AttemptSummary {
  readonly number: number;
  readonly startedAtMs: number;
  readonly outcome: OutcomeKind;
  /** `null` when no answer came. */
  readonly status: number | null;
  readonly totalMs: number;
}

export function toNotedAttempt(
  { next, isTrial, setUpAtMs, holdUntilMs, destinationOff }: Omit<Settlement, "attempt">,
  { outcome, status, startedAtMs }: AttemptSummary,
  nowMs: number,
): NotedAttempt {
  const succeeded = next.state === "delivered";
  return { outcome, status, succeeded, isTrial, startedAtMs, nowMs, setUpAtMs, holdUntilMs, destinationOff };
}

export type Figure = Omit<AttemptCount, "destinationId" | "count">;

/** The finest that a chart shows. */
const FINEST_MS = minutesMs(1);

export interface SettledAttempt {
  readonly accountId: string;
  readonly destinationId: string;
  readonly acceptedAtMs: number;
  readonly summary: AttemptSummary;
  readonly next: Settlement["next"];
}

/**
 * Where the attempt is counted: itself and, when it succeeded, the delivery's arrival. How late a program asks says
 * nothing of arrivals.
 */
export function toFigures({ acceptedAtMs, summary, next }: SettledAttempt): Figure[] {
  const { startedAtMs, totalMs } = summary;
  const code = String(summary.status ?? summary.outcome);
  const atMs = toPeriodStart(Math.floor(startedAtMs), FINEST_MS);
  const bin = findBin(totalMs);
  if (summary.outcome === "pulled") return [{ atMs, kind: "attempt", result: "delivered", code, bin }];
  if (next.state !== "delivered") {
    return [{ atMs, kind: "attempt", result: next.state === "pending" ? "retry" : "failed", code, bin }];
  }
  const arrivedAtMs = startedAtMs + totalMs;
  const arrivedMinuteMs = toPeriodStart(Math.floor(arrivedAtMs), FINEST_MS);
  return [
    { atMs, kind: "attempt", result: "delivered", code, bin },
    { atMs: arrivedMinuteMs, kind: "delivery", result: "delivered", code, bin: findBin(arrivedAtMs - acceptedAtMs) },
  ];
}
