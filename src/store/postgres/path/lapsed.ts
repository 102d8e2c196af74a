/**
 * Deliveries in hand that wait again: given back, or their claim has run out. They get the row that waits, under the
 * claim that they had, and from then on are like every other one.
 */
import { isAbout } from "../buckets/groups.ts";
import { holdLeases, takeOverEnded } from "./leases.ts";
import type { OpenDelivery } from "../open-deliveries.ts";
import { insertPending, type PendingRow } from "./pending-rows.ts";
import type { Transaction } from "../transaction.ts";

/**
 * Of this node, and of one whose lease has ended. Another node that lives does it for its own, and each claim comes to
 * the next lease.
 */
export async function writeDownLapsed(tx: Transaction, nowMs: number): Promise<void> {
  const isHere = ({ accountId }: OpenDelivery): boolean => isAbout(tx.where, accountId);
  await giveWaitingRows(tx, tx.node.open.takeRunOut(tx, nowMs, isHere), ({ claim: { token, untilMs } }) => ({
    claimToken: token,
    dueAtMs: untilMs,
  }));
  await takeOverEnded(tx, nowMs);
}

type Waits = Pick<PendingRow, "claimToken" | "dueAtMs">;

/** Returns those that had no row. */
export async function giveWaitingRows(
  tx: Transaction,
  open: readonly OpenDelivery[],
  toWaiting: (delivery: OpenDelivery) => Waits,
): Promise<readonly OpenDelivery[]> {
  if (open.length === 0) return [];
  const held = await holdLeases(
    tx,
    open.map(({ leaseId }) => leaseId),
  );
  const without = open.filter(({ leaseId }) => held.has(leaseId));
  await insertPending(
    tx,
    without.map((delivery) => ({ ...delivery, ...toWaiting(delivery) })),
  );
  return without;
}
