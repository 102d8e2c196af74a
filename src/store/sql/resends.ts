/** Resending one delivery, as a person asks for it. Each store's `resends.ts` makes the delivery pending again. */
import type { DeliveryState } from "../../domain/delivery.ts";
import type { RequestResend, ResendResult } from "../contract/log.ts";
import { writeAudit } from "./audit.ts";
import type { Dialect } from "./dialect.ts";
import type { Flag, SqlTransaction } from "./transaction.ts";

export async function requestResend<Tx extends SqlTransaction>(
  tx: Tx,
  params: RequestResend,
  { resendDeliveries }: Pick<Dialect<Tx>, "resendDeliveries">,
): Promise<ResendResult> {
  const { accountId, deliveryId, by, nowMs } = params;
  const results = await resendDeliveries(tx, { accountId, deliveryIds: [deliveryId], person: by.person, nowMs });
  const result = results.get(deliveryId) ?? "missing";
  if (result !== "queued") return result;
  await writeAudit(tx, { accountId, nowMs, by, action: "delivery_resent", subject: deliveryId });
  return result;
}

export interface ResendRow {
  readonly state: DeliveryState;
  readonly isTest: Flag;
  readonly destinationId: string | null;
  readonly hasBody: Flag;
  readonly isDestinationDeleted: Flag;
}

/** Whether a delivery may become pending again. The caller holds its row and its event's. */
export function findResendResult(row: ResendRow): ResendResult {
  if (row.isTest || row.destinationId === null) return "is_test";
  if (row.state === "pending") return "pending_already";
  if (!row.hasBody) return "payload_purged";
  return row.isDestinationDeleted ? "destination_deleted" : "queued";
}
