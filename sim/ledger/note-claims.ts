/** Notes who holds which delivery: a claim that the store has given out, and one that was given back. */
import type { ClaimRecord, DeliveryRecord } from "../records.ts";
import type { Books, Run } from "./books.ts";

export async function noteClaims(
  books: Books,
  { life, shard, params, answer }: Run<"claimDueDeliveries">,
): Promise<void> {
  for (const { id, accountId, destinationId, configVersion, claim, isTrial } of answer) {
    await books.configs.refreshTo(accountId, configVersion);
    const wasDueAtMs = findDueAtMs(books.deliveries.get(id), params.nowMs);
    noteClaim(books, id, { ...claim, life, shard, nodeNowMs: params.nowMs, wasDueAtMs, isTrial, configVersion });
    if (isTrial) books.holds.hold(destinationId, claim.untilMs);
  }
}

function findDueAtMs(delivery: DeliveryRecord | undefined, nowMs: number): number | null {
  if (delivery === undefined) return null;
  return delivery.goesFirst ? Math.min(delivery.dueAtMs, nowMs) : delivery.dueAtMs;
}

export function noteClaim(
  { deliveries, history, nowMs }: Books,
  id: string,
  claimed: Omit<ClaimRecord, "takenAtMs" | "isKnown" | "end">,
): void {
  const delivery = deliveries.get(id);
  if (delivery === undefined) throw new Error(`the store gave out the delivery ${id}, which was never committed`);
  const previous = delivery.claim;
  if (previous !== null) previous.end = "taken_over";
  const claim: ClaimRecord = { ...claimed, takenAtMs: nowMs(), isKnown: true, end: null };
  delivery.claim = claim;
  delivery.claims.push(claim);
  delivery.dueAtMs = claim.untilMs;
  delivery.goesFirst = false;
  history().add({ kind: "claimed", delivery, claim, previous });
}

export function noteReleases(books: Books, { life, elsewhere, params, answer }: Run<"releaseClaims">): void {
  const claims: ClaimRecord[] = [];
  const deliveries: DeliveryRecord[] = [];
  for (const { deliveryId, claimToken } of params.claims) {
    const delivery = books.deliveries.get(deliveryId);
    if (delivery === undefined || delivery.claim?.token !== claimToken) continue;
    if (elsewhere.includes(delivery.event.accountId)) continue;
    delivery.claim.end = "released";
    // A trial that is given back lets the next one out.
    if (delivery.claim.isTrial) books.holds.hold(delivery.destinationId, params.dueAtMs);
    claims.push(delivery.claim);
    deliveries.push(delivery);
    delivery.claim = null;
    delivery.dueAtMs = params.dueAtMs;
  }
  books.history().add({ kind: "released", life, claims, deliveries, released: answer.released });
}
