/**
 * Claiming: walks destinations that have something due, the longest waiting first, and takes a few deliveries from
 * each, so that a large backlog of one cannot hold up the others. Cost follows the destinations visited, never the
 * backlog. An account that has got all that it may is passed over from then on, however many destinations it has.
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
  readonly #ofAccounts = new Map<string, number>();
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

  /** With 0 the destination is passed over untouched: all stays due. */
  slotsOf(destinationId: string, accountId: string): number {
    const { freeSlots, perDestinationMax } = this.#params;
    return Math.min(findOwn(freeSlots, destinationId) ?? perDestinationMax, this.accountSlots(accountId));
  }

  /** What all destinations of the account together may still have. */
  accountSlots(accountId: string): number {
    const { accountSlots, perAccountMax } = this.#params;
    return (findOwn(accountSlots, accountId) ?? perAccountMax) - (this.#ofAccounts.get(accountId) ?? 0);
  }

  /** Those whose destinations are passed over. */
  fullAccounts(): string[] {
    const known = [...Object.keys(this.#params.accountSlots), ...this.#ofAccounts.keys()];
    return known.filter((id) => this.accountSlots(id) <= 0);
  }

  /** Takes a body's room. One is always taken, or one body above the maximum would stop everything. */
  takeCapacity(bodyChars: number, isFirst: boolean): boolean {
    this.#bodyCharsLeft -= bodyChars;
    return this.#bodyCharsLeft >= 0 || (isFirst && this.claimed.length === 0);
  }

  add(row: ClaimableRow, destination: DestinationNow, configVersion: number | null): void {
    assert(configVersion !== null, `delivery ${row.id} belongs to the account ${row.accountId}, which does not exist`);
    const { health, ratePerSecond, isOneAtATime: isInOrder } = destination;
    const { token, untilMs } = this.#params.claim;
    const claim = { token, untilMs };
    this.#ofAccounts.set(row.accountId, (this.#ofAccounts.get(row.accountId) ?? 0) + 1);
    this.claimed.push({ ...row, isTrial: isOpen(health), isInOrder, ratePerSecond, configVersion, claim });
  }
}

/** How many a visit may take: while the breaker is open it is the trial alone, and the head of an order always. */
export const findCapacity = ({ health, ratePerSecond, isOneAtATime }: DestinationNow, slots: number): number =>
  isOpen(health) || isOneAtATime ? Math.min(1, slots) : Math.min(slots, slotsAtRate(ratePerSecond));

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
