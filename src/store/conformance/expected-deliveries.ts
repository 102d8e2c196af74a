/**
 * A model of what a store knows about deliveries, for random walks: what was accepted, held, settled, given back and
 * sent again. It knows nothing of rows, so it says the same whether a delivery has one yet or not.
 */
import type { DeliveryState } from "../../domain/delivery.ts";
import type { Claim, ClaimedDelivery } from "../contract/path.ts";

export interface ExpectedDelivery {
  readonly id: string;
  readonly accountId: string;
  readonly eventId: string;
  readonly sourceId: string;
  readonly destinationId: string;
  readonly createdAtMs: number;
  state: DeliveryState;
  /** Until it runs out. */
  claim: Claim | null;
  dueAtMs: number;
  attempts: number;
  /** Its last attempt had no answer; a walk's failures are of this kind. */
  isUnanswered: boolean;
}

export class ExpectedDeliveries {
  readonly deliveries = new Map<string, ExpectedDelivery>();
  /** Attempts that were settled, and deliveries that arrived. */
  counted = { attempt: 0, delivery: 0 };

  accept(delivery: Omit<ExpectedDelivery, "state" | "attempts" | "isUnanswered">): void {
    this.deliveries.set(delivery.id, { ...delivery, state: "pending", attempts: 0, isUnanswered: false });
  }

  /** One that a settlement under this claim may change. */
  findHeld(id: string, token: string): ExpectedDelivery | null {
    const delivery = this.deliveries.get(id);
    return delivery?.state === "pending" && delivery.claim?.token === token ? delivery : null;
  }

  settle(id: string, token: string, next: { readonly state: DeliveryState; readonly dueAtMs?: number }): boolean {
    const delivery = this.findHeld(id, token);
    if (delivery === null) return false;
    const { state, dueAtMs = 0 } = next;
    const isUnanswered = state !== "delivered";
    Object.assign(delivery, { state, dueAtMs, claim: null, attempts: delivery.attempts + 1, isUnanswered });
    this.counted.attempt += 1;
    if (state === "delivered") this.counted.delivery += 1;
    return true;
  }

  release(id: string, token: string, dueAtMs: number): boolean {
    const delivery = this.findHeld(id, token);
    if (delivery === null) return false;
    Object.assign(delivery, { dueAtMs, claim: null });
    return true;
  }

  /** A claimed delivery must have been due, and free or with a claim that had run out. */
  claim(claimed: readonly ClaimedDelivery[], claim: Claim): void {
    for (const { id } of claimed) Object.assign(this.deliveries.get(id) ?? {}, { claim, dueAtMs: claim.untilMs });
  }

  listDue(nowMs: number): string[] {
    const due = [...this.deliveries.values()].filter(({ state, dueAtMs }) => state === "pending" && dueAtMs <= nowMs);
    return due.map(({ id }) => id).toSorted();
  }

  resend(id: string, nowMs: number): "queued" | "in_memory" | "missing" {
    const delivery = this.deliveries.get(id);
    if (delivery === undefined) return "missing";
    const { state, claim, destinationId } = delivery;
    if (state === "pending" && claim !== null) return claim.untilMs > nowMs ? "in_memory" : "queued";
    const waiting = [...this.deliveries.values()].filter(
      (other) => other.destinationId === destinationId && other.state === "pending",
    );
    // Before all others of its destination.
    const dueAtMs = Math.min(nowMs, ...waiting.map((other) => other.dueAtMs - 1));
    Object.assign(delivery, { state: "pending", dueAtMs, claim: null });
    return "queued";
  }

  /** The process has died, and a start has taken up what it left. */
  restart(nowMs: number): void {
    for (const delivery of this.deliveries.values()) {
      if (delivery.claim !== null) Object.assign(delivery, { claim: null, dueAtMs: nowMs });
    }
  }
}
