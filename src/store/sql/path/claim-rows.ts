/**
 * Claiming: walks destinations that have something due, the longest waiting first, and takes a few deliveries from
 * each, so that a large backlog of one cannot hold up the others. Cost follows the destinations visited, never the
 * backlog.
 *
 * A first walk gives an account half of the claim at most, and passes over the rest of its destinations. So the others
 * are reached, however many destinations one account has before them. A second walk gives out what is left.
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
  readonly #ofDestinations = new Map<string, number>();
  readonly #ofAccounts = new Map<string, { readonly deliveries: number; readonly chars: number }>();
  #bodyCharsLeft: number;
  /** The part of the claim that an account may have in this walk. */
  #part: 0.5 | 1 = 0.5;

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

  /** What the destination may still have in this walk. With 0 it is passed over untouched: all stays due. */
  slotsOf(destinationId: string, accountId: string): number {
    const slots = findOwn(this.#params.freeSlots, destinationId) ?? this.#params.perDestinationMax;
    return Math.min(slots - (this.#ofDestinations.get(destinationId) ?? 0), this.accountSlots(accountId));
  }

  /** What all destinations of the account together may still have in this walk. */
  accountSlots(accountId: string): number {
    const { accountSlots, deliveriesMax, bodyCharsMax } = this.#params;
    const { deliveries, chars } = this.#ofAccounts.get(accountId) ?? NOTHING;
    if (chars > this.#part * bodyCharsMax) return 0;
    const slots = findOwn(accountSlots, accountId) ?? deliveriesMax;
    return Math.max(0, Math.min(slots, Math.ceil(this.#part * deliveriesMax)) - deliveries);
  }

  /** Those whose destinations this walk passes over. */
  fullAccounts(): string[] {
    const known = new Set([...Object.keys(this.#params.accountSlots), ...this.#ofAccounts.keys()]);
    return [...known].filter((id) => this.accountSlots(id) === 0);
  }

  /** Begins the second walk, if there is room left for an account that was held at its half. */
  walksAgain(): boolean {
    const held = this.fullAccounts();
    this.#part = 1;
    return !this.isFull && held.some((id) => this.accountSlots(id) > 0);
  }

  /** Takes a body's room. One is always taken, or one body above the maximum would stop everything. */
  takeCapacity(accountId: string, bodyChars: number, isFirst: boolean): boolean {
    if (this.accountSlots(accountId) === 0) return false;
    this.#bodyCharsLeft -= bodyChars;
    const { deliveries, chars } = this.#ofAccounts.get(accountId) ?? NOTHING;
    this.#ofAccounts.set(accountId, { deliveries: deliveries + 1, chars: chars + bodyChars });
    return this.#bodyCharsLeft >= 0 || (isFirst && this.claimed.length === 0);
  }

  add(row: ClaimableRow, destination: DestinationNow, configVersion: number | null): void {
    assert(configVersion !== null, `delivery ${row.id} belongs to the account ${row.accountId}, which does not exist`);
    const { health, ratePerSecond } = destination;
    const { token, untilMs } = this.#params.claim;
    const claim = { token, untilMs };
    this.#ofDestinations.set(row.destinationId, (this.#ofDestinations.get(row.destinationId) ?? 0) + 1);
    this.claimed.push({ ...row, isTrial: isOpen(health), ratePerSecond, configVersion, claim });
  }
}

const NOTHING = { deliveries: 0, chars: 0 };

/** How many a visit may take: while the breaker is open it is the trial alone. */
export const findCapacity = ({ health, ratePerSecond }: DestinationNow, slots: number): number =>
  isOpen(health) ? 1 : Math.min(slots, slotsAtRate(ratePerSecond));

/** Ids of accounts are the product's: one may be called as a property of every object is. */
const findOwn = (slots: Readonly<Record<string, number>>, id: string): number | undefined =>
  Object.hasOwn(slots, id) ? slots[id] : undefined;

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
