/**
 * Of which settlements a destination's owner is notified. Pure. A store asks in the settlement's transaction and keeps
 * the answer beside the destination, so that each outage is notified once, on whichever node it is met.
 *
 *     quiet ──breaker is open──► notified: "failing" ──breaker closes──► quiet: "recovered"
 *       ▲                           └──turned off──► "turned_off"
 *       └── a person turns it on: the owner knows already
 */
import { hoursMs } from "../lib/duration.ts";
import type { DestinationState } from "./destination.ts";
import { type DestinationHealth, isOpen } from "./destination-health.ts";

export type OutageKind = "turned_off" | "failing" | "recovered";

export interface Notified {
  /** A recipient was notified of the outage that lasts. */
  readonly isNotified: boolean;
  /** When one was notified of the latest outage; `null` when none was since a person turned the destination on. */
  readonly notifiedAtMs: number | null;
}

export const NOT_NOTIFIED: Notified = { isNotified: false, notifiedAtMs: null };

/** Guess: a receiver that flaps would otherwise bring two emails a minute. */
const QUIET_MS = hoursMs(1);

export interface Condition {
  readonly state: DestinationState;
  readonly health: DestinationHealth;
}

/** `null`: nothing to notify of. An outage that began in the quiet hour is notified when it outlasts it. */
export function findOutageNotification(
  before: Condition & Notified,
  after: Condition,
  nowMs: number,
): { readonly kind: OutageKind; readonly notified: Notified } | null {
  const { isNotified, notifiedAtMs } = before;
  if (before.state !== "on") return null;
  if (after.state === "off") return { kind: "turned_off", notified: { isNotified: false, notifiedAtMs } };
  const isFailing = isOpen(after.health);
  if (isNotified && !isFailing) return { kind: "recovered", notified: { isNotified: false, notifiedAtMs } };
  const isQuiet = notifiedAtMs !== null && nowMs - notifiedAtMs < QUIET_MS;
  if (isNotified || !isFailing || isQuiet) return null;
  return { kind: "failing", notified: { isNotified: true, notifiedAtMs: nowMs } };
}
