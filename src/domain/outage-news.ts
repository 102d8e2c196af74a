/**
 * Which settlements are news for a destination's owner. Pure. A store asks in the settlement's transaction and keeps
 * the answer beside the destination, so that each outage is told once, on whichever node it is met.
 *
 *     quiet ──breaker is open──► told: "failing" ──breaker closes──► quiet: "recovered"
 *       ▲                          └──turned off──► "turned_off"
 *       └── a person turns it on: the owner knows already
 */
import { hoursMs } from "../lib/duration.ts";
import type { DestinationState } from "./destination.ts";
import { type DestinationHealth, isOpen } from "./destination-health.ts";

export type NewsKind = "turned_off" | "failing" | "recovered";

export interface Told {
  /** The outage that lasts was told. */
  readonly isTold: boolean;
  /** When the latest outage was told; `null` when none was since a person turned the destination on. */
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
export function findOutageNews(
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
