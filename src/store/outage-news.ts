/**
 * What an attempt's settlement makes news for a destination's owner. Pure; stores ask it in that transaction and keep
 * its answer beside the destination, so that each outage is told once, whatever node meets it.
 *
 *     quiet ──breaker is open──► told: "failing" ──breaker closes──► quiet: "recovered"
 *       ▲                          └──turned off──► "turned_off"
 *       └── a person turns it on: whoever does that knows already
 */
import type { DestinationState } from "../domain/destination.ts";
import { type DestinationHealth, isOpen } from "../domain/destination-health.ts";
import { hoursMs } from "../lib/duration.ts";
import type { NewsKind } from "./contract/mail.ts";

export interface Told {
  /** The outage that lasts was told. */
  readonly isTold: boolean;
  /** When the latest outage was told; `null` when none was since a person turned it on. */
  readonly toldAtMs: number | null;
}

export const UNTOLD: Told = { isTold: false, toldAtMs: null };

/** Guess: a receiver that flaps would otherwise bring two letters a minute. */
const QUIET_MS = hoursMs(1);

export interface Condition {
  readonly state: DestinationState;
  readonly health: DestinationHealth;
}

/** `null`: nothing to tell. An outage that began in the quiet hour is told when it outlasts it. */
export function newsOf(
  before: Condition & Told,
  after: Condition,
  nowMs: number,
): { readonly kind: NewsKind; readonly told: Told } | null {
  const { isTold, toldAtMs } = before;
  if (before.state !== "on") return null;
  if (after.state === "off") return { kind: "turned_off", told: { isTold: false, toldAtMs } };
  const isFailing = isOpen(after.health);
  if (isTold && !isFailing) return { kind: "recovered", told: { isTold: false, toldAtMs } };
  const isQuiet = toldAtMs !== null && nowMs - toldAtMs < QUIET_MS;
  if (isTold || !isFailing || isQuiet) return null;
  return { kind: "failing", told: { isTold: true, toldAtMs: nowMs } };
}
