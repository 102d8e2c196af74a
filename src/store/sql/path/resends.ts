/** Sending deliveries again, as a person asks for it. Each store's `resends.ts` makes a delivery due. */
import type { DeliveryState } from "../../../domain/delivery.ts";
import type { DestinationState } from "../../../domain/destination.ts";
import { type DestinationNow, endCoolDown } from "../../../domain/destination-now.ts";
import { isOpen } from "../../../domain/destination-health.ts";
import type { RequestResends, ResendResult } from "../../contract/log.ts";
import { writeAudit } from "../audit.ts";
import type { Dialect, ResendOfDeliveries } from "../dialect.ts";
import type { Flag, SqlTransaction } from "../transaction.ts";

type ResendSteps<Tx extends SqlTransaction> = Pick<
  Dialect<Tx>,
  "resendDeliveries" | "lockDestination" | "changeDestination" | "writeDownLapsed"
>;

export async function requestResends<Tx extends SqlTransaction>(
  tx: Tx,
  params: RequestResends,
  dialect: ResendSteps<Tx>,
): Promise<readonly ResendResult[]> {
  const { accountId, deliveryIds, by, nowMs } = params;
  await dialect.writeDownLapsed(tx, nowMs);
  const resend = {
    accountId,
    deliveryIds: [...new Set(deliveryIds)],
    person: by.person,
    withWaiting: true,
    isFirst: true,
    nowMs,
  };
  const resent = await dialect.resendDeliveries(tx, resend);
  const queued = [...resent].filter(([, { result }]) => result === "queued");
  const destinationIds = [...new Set(queued.map(([, { destinationId }]) => destinationId))];
  for (const id of destinationIds.toSorted()) await endCoolDownOf(tx, { id, by, nowMs }, dialect);
  await Promise.all(
    queued.map(([id]) => writeAudit(tx, { accountId, nowMs, by, action: "delivery_resent", subject: id })),
  );
  return deliveryIds.map((id) => resent.get(id)?.result ?? "missing");
}

/**
 * Lets the next delivery of a destination that rests out as its probe. While a probe is out it changes nothing: what a
 * person wants goes right after it.
 */
export async function endCoolDownOf<Tx extends SqlTransaction>(
  tx: Tx,
  { id, by, nowMs }: { readonly id: string } & Pick<RequestResends, "by" | "nowMs">,
  { lockDestination, changeDestination }: Pick<Dialect<Tx>, "lockDestination" | "changeDestination">,
): Promise<void> {
  const before = await lockDestination(tx, id);
  if (before === null || before.state !== "on") return;
  const after = endCoolDown(before, nowMs);
  if (after === before || (await isProbeOut(tx, { id, before, nowMs }))) return;
  await changeDestination(tx, id, { after, reason: "sent_now", actor: by.person, nowMs });
}

async function isProbeOut(
  tx: SqlTransaction,
  { id, before, nowMs }: { readonly id: string; readonly before: DestinationNow; readonly nowMs: number },
): Promise<boolean> {
  const { health, probeToken } = before;
  if (!isOpen(health) || probeToken === null) return false;
  return (await tx.db.get(FIND_PROBE, id, nowMs, health.notBeforeMs, probeToken)) !== undefined;
}

export interface ResendRow {
  readonly state: DeliveryState;
  readonly isTest: Flag;
  readonly destinationId: string | null;
  readonly hasBody: Flag;
  readonly isDestinationDeleted: Flag;
  /** `null` when there is no such destination any more. */
  readonly destinationState: DestinationState | null;
  readonly dueAtMs: number | null;
  readonly isClaimed: Flag;
}

/** Whether a delivery may be made due now. The caller holds its row and its event's. */
export function findResendResult(
  row: ResendRow,
  { withWaiting, nowMs }: Pick<ResendOfDeliveries, "withWaiting" | "nowMs">,
): ResendResult {
  if (row.isTest || row.destinationId === null) return "is_test";
  if (row.state === "pending") return withWaiting ? findPendingResult(row, nowMs) : "in_hand";
  if (!row.hasBody) return "payload_purged";
  return row.isDestinationDeleted ? "destination_deleted" : "queued";
}

/** A claim that has run out holds nothing. */
function findPendingResult(row: ResendRow, nowMs: number): ResendResult {
  if (row.isDestinationDeleted) return "destination_deleted";
  if (row.isClaimed && (row.dueAtMs ?? 0) > nowMs) return "in_hand";
  if (row.destinationState === "paused") return "destination_paused";
  return row.destinationState === "off" ? "destination_off" : "queued";
}

/** The columns of `ResendRow` but for the body: a delivery `d` and its destination `t`. */
export const RESEND_COLUMNS = `d.state, d.is_test as "isTest", d.destination_id as "destinationId",
    t.id is null or t.deleted_at is not null as "isDestinationDeleted", t.state as "destinationState",
    d.due_at as "dueAtMs", d.claim_token is not null as "isClaimed"`;

/** Before all others of its destination, of which the earliest is due then. */
export const toFirstDueMs = (earliestMs: number | null, nowMs: number): number =>
  Math.min(nowMs, (earliestMs ?? Infinity) - 1);

/** Its claim ends where the destination's hold does, or before, when a `Retry-After` came in. */
const FIND_PROBE = `-- name: find probe that is out
  select 1 as found
  from deliveries
  where destination_id = $1 and state = 'pending' and not is_ended and due_at > $2 and due_at <= $3 and claim_token = $4
    and bucket = any ($buckets)
  limit 1`;
