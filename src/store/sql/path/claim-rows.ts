/**
 * Claiming: walks destinations that have something due, the longest waiting first, and takes a few deliveries from
 * each, so that a large backlog of one cannot hold up the others. Cost follows the destinations visited, never the
 * backlog.
 *
 * A claim is a token and a time: the delivery's due time moves to when the claim runs out. No other process needs to
 * notice a node's death: its deliveries become due again by themselves.
 *
 * Here are the rows that both stores read and gather. How they lock and walk is their own.
 */
import type { DestinationNow } from "../../../domain/destination-now.ts";
import { isOpen } from "../../../domain/destination-health.ts";
import { slotsAtRate } from "../../../domain/destination.ts";
import { assert } from "../../../lib/assert.ts";
import type { ClaimDueDeliveries, ClaimedDelivery } from "../../contract/path.ts";

/** The deliveries that a claim has got so far, and the room that is left. */
export class ClaimBatch {
  readonly claimed: ClaimedDelivery[] = [];
  readonly #params: ClaimDueDeliveries;
  #bodyCharsLeft: number;

  constructor(params: ClaimDueDeliveries) {
    this.#params = params;
    this.#bodyCharsLeft = params.bodyCharsMax;
  }

  get bodyCharsLeft(): number {
    return this.#bodyCharsLeft;
  }

  get deliveriesLeft(): number {
    return this.#params.deliveriesMax - this.claimed.length;
  }

  get isFull(): boolean {
    return this.#bodyCharsLeft < 0 || this.deliveriesLeft <= 0;
  }

  /** Takes a body's room. One is always taken, or one body above the maximum would stop everything. */
  takeCapacity(bodyChars: number, isFirst: boolean): boolean {
    this.#bodyCharsLeft -= bodyChars;
    return this.#bodyCharsLeft >= 0 || (isFirst && this.claimed.length === 0);
  }

  add(row: ClaimableRow, destination: DestinationNow, configVersion: number | null): void {
    assert(configVersion !== null, `delivery ${row.id} belongs to the account ${row.accountId}, which does not exist`);
    const { health, ratePerSecond } = destination;
    const { token, untilMs } = this.#params.claim;
    const claim = { token, untilMs };
    this.claimed.push({ ...row, isTrial: isOpen(health), ratePerSecond, configVersion, claim });
  }
}

/** How many a visit may take: while the breaker is open it is the trial alone. */
export const findCapacity = ({ health, ratePerSecond }: DestinationNow, slots: number): number =>
  isOpen(health) ? 1 : Math.min(slots, slotsAtRate(ratePerSecond));

export function findSlots({ freeSlots, perDestinationMax }: ClaimDueDeliveries, destinationId: string): number {
  const free = Object.hasOwn(freeSlots, destinationId) ? freeSlots[destinationId] : undefined;
  return free ?? perDestinationMax;
}

export interface WakingRow {
  readonly id: string;
  readonly wakeAtMs: number;
}

/** Before the first one of the walk. */
export const WALK_START: WakingRow = { wakeAtMs: Number.MIN_SAFE_INTEGER, id: "" };

export interface ClaimableRow {
  readonly id: string;
  readonly eventId: string;
  readonly accountId: string;
  readonly destinationId: string;
  readonly attemptsMade: number;
  readonly attemptsInSchedule: number;
  readonly pendingSinceMs: number;
  readonly eventType: string;
  readonly traceContext: string | null;
  readonly body: string;
}

/** A delivery under a claim. */
export interface HeldRow {
  readonly destinationId: string;
  readonly untilMs: number;
}
