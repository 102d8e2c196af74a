/** Rows that both stores' claims read and gather. How they lock and walk is their own. */
import type { ClaimDueDeliveries, ClaimedDelivery } from "../contract/path.ts";

/** The deliveries that a claim has got so far. */
export interface Haul {
  readonly claimed: ClaimedDelivery[];
  bodyCharsLeft: number;
  isFull: boolean;
}

export function findSlots({ freeSlots, perDestinationMax }: ClaimDueDeliveries, destinationId: string): number {
  const free = Object.hasOwn(freeSlots, destinationId) ? freeSlots[destinationId] : undefined;
  return free ?? perDestinationMax;
}

export interface WakingRow {
  readonly id: string;
  readonly wakeAtMs: number;
}

export interface ClaimableRow {
  readonly id: string;
  readonly eventId: string;
  readonly accountId: string;
  readonly attemptsMade: number;
  readonly attemptsInSchedule: number;
  readonly pendingSinceMs: number;
}

/** A delivery under a claim. */
export interface HeldRow {
  readonly destinationId: string;
  readonly untilMs: number;
}
