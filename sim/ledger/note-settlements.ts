/** Notes every settlement that reached the store, and writes those that it has taken. */
import type { Settlement } from "../../src/store/contract/path.ts";
import type { DeliveryRecord, SettlementRecord } from "../records.ts";
import type { Books, Run } from "./books.ts";

export async function noteSettlements(
  books: Books,
  { life, elsewhere, params, answer }: Run<"settleAttemptsIfClaimed">,
): Promise<void> {
  const { deliveries, holds, configs, history, nowMs } = books;
  for (const [index, settlement] of params.settlements.entries()) {
    const delivery = deliveries.get(settlement.deliveryId);
    if (delivery === undefined) throw new Error(`the delivery ${settlement.deliveryId} was never committed`);
    if (elsewhere.includes(settlement.accountId)) continue;
    const fact = { kind: "settled", life, delivery, settlement, held: delivery.claim } as const;
    const stateBefore = delivery.state;
    const settled = answer[index];
    const isWritten = settled?.kind === "settled";
    if (isWritten) write(delivery, { settlement, life, atMs: nowMs() });
    if (isWritten) holds.hold(delivery.destinationId, settled.heldUntilMs);
    history().add({ ...fact, stateBefore, isWritten });
    // Any failure may have turned the destination off.
    if (isWritten && settlement.next.state !== "delivered") await configs.refresh(delivery.event.accountId);
  }
}

function write(delivery: DeliveryRecord, record: SettlementRecord): void {
  const { next, isFree }: Settlement = record.settlement;
  delivery.state = next.state;
  if (next.state === "pending") delivery.dueAtMs = next.dueAtMs;
  if (next.state === "pending" && isFree) delivery.attemptsBefore += 1;
  if (delivery.claim !== null) delivery.claim.end = "settled";
  delivery.claim = null;
  delivery.settlements.push(record);
}
