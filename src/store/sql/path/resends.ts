/**
 * Sending again, as a person asks for it: chosen deliveries, or everything that waits for a destination after the
 * receiver was mended or its URL was changed. Each store's `resends.ts` makes a delivery due.
 *
 * The destination's cool-down is one row, and a delivery that is due already is not touched: after an outage that is
 * nearly every one, because only failed attempts put a due time ahead. Those are moved in steps, the earliest first.
 */
import type { Actor } from "../../../domain/account.ts";
import type { DeliveryState } from "../../../domain/delivery.ts";
import { isOpen } from "../../../domain/destination-health.ts";
import { type DestinationNow, endCoolDown, forgive } from "../../../domain/destination-now.ts";
import type { DestinationState } from "../../../domain/destination.ts";
import type { SendWaiting, SendWaitingResult } from "../../contract/destinations.ts";
import type { RequestResends, ResendResult } from "../../contract/log.ts";
import { writeAudit } from "../audit.ts";
import type { Dialect, ResendOfDeliveries } from "../dialect.ts";
import { alertOperatorToEnd } from "../messages/operator-alerts.ts";
import { endTrouble } from "./incidents.ts";
import type { Flag, SqlTransaction } from "../transaction.ts";
import { findName } from "./destinations.ts";

type ResendSteps<Tx extends SqlTransaction> = Pick<
  Dialect<Tx>,
  "resendDeliveries" | "lockDestination" | "changeDestination" | "writeExpired"
>;

export async function requestResends<Tx extends SqlTransaction>(
  tx: Tx,
  params: RequestResends,
  dialect: ResendSteps<Tx>,
): Promise<readonly ResendResult[]> {
  const { accountId, deliveryIds, by, nowMs } = params;
  await dialect.writeExpired(tx, nowMs);
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
 * Half-opens the breaker: the next delivery is the trial. While a trial is out this changes nothing: the deliveries
 * that a person wants go right after it.
 */
export async function endCoolDownOf<Tx extends SqlTransaction>(
  tx: Tx,
  { id, by, nowMs }: { readonly id: string } & Pick<RequestResends, "by" | "nowMs">,
  { lockDestination, changeDestination }: Pick<Dialect<Tx>, "lockDestination" | "changeDestination">,
): Promise<void> {
  const before = await lockDestination(tx, id);
  if (before === null || before.state !== "on") return;
  const after = endCoolDown(before, nowMs);
  if (after === before || (await isTrialOut(tx, { id, before, nowMs }))) return;
  await changeDestination(tx, id, { after, reason: "sent_now", actor: by.person, nowMs });
}

async function isTrialOut(
  tx: SqlTransaction,
  { id, before, nowMs }: { readonly id: string; readonly before: DestinationNow; readonly nowMs: number },
): Promise<boolean> {
  const { health, trialToken } = before;
  if (!isOpen(health) || trialToken === null) return false;
  return (await tx.db.get(FIND_TRIAL, id, nowMs, health.notBeforeMs, trialToken)) !== undefined;
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
  /** Its destination gets one at a time, and others wait before it. */
  readonly isBehind: Flag;
}

/** Whether a delivery may be made due now. The caller holds its row and its event's. */
export function findResendResult(
  row: ResendRow,
  { withWaiting, nowMs }: Pick<ResendOfDeliveries, "withWaiting" | "nowMs">,
): ResendResult {
  if (row.isTest || row.destinationId === null) return "is_test";
  if (row.state === "pending") return withWaiting ? findPendingResult(row, nowMs) : "in_memory";
  if (!row.hasBody) return "payload_purged";
  return row.isDestinationDeleted ? "destination_deleted" : "queued";
}

/** A claim that has run out holds nothing. */
function findPendingResult(row: ResendRow, nowMs: number): ResendResult {
  if (row.isDestinationDeleted) return "destination_deleted";
  if (row.isClaimed && (row.dueAtMs ?? 0) > nowMs) return "in_memory";
  if (row.destinationState === "paused") return "destination_paused";
  if (row.destinationState === "off") return "destination_off";
  return row.isBehind ? "not_its_turn" : "queued";
}

/** The columns of `ResendRow` but for the body: a delivery `d` and its destination `t`. */
export const RESEND_COLUMNS = `d.state, d.is_test as "isTest", d.destination_id as "destinationId",
    t.id is null or t.deleted_at is not null as "isDestinationDeleted", t.state as "destinationState",
    d.due_at as "dueAtMs", d.claim_token is not null as "isClaimed",
    case when t.one_at_a_time and d.state = 'pending' then exists (
      select 1
      from ordered_deliveries own
      join ordered_deliveries o on o.destination_id = own.destination_id and o.seq < own.seq
      join deliveries w on w.id = o.delivery_id and w.state = 'pending' and not w.is_ended
      where own.delivery_id = d.id
    ) else false end as "isBehind"`;

/** Before all others of its destination, of which the earliest is due then. */
export const toFirstDueMs = (earliestMs: number | null, nowMs: number): number =>
  Math.min(nowMs, (earliestMs ?? Infinity) - 1);

/** Its claim ends where the destination's hold does, or before, when a `Retry-After` came in. */
const FIND_TRIAL = `-- name: find trial that is out
  select 1 as found
  from deliveries
  where destination_id = $1 and state = 'pending' and not is_ended and due_at > $2 and due_at <= $3 and claim_token = $4
  limit 1`;

type WaitingSteps<Tx extends SqlTransaction> = Pick<
  Dialect<Tx>,
  "lockDestination" | "changeDestination" | "lowerDueBound"
>;

export async function sendWaiting<Tx extends SqlTransaction>(
  tx: Tx,
  { accountId, destinationId, isContinued, rowsMax, by, nowMs }: SendWaiting,
  dialect: WaitingSteps<Tx>,
): Promise<SendWaitingResult> {
  const before = await dialect.lockDestination(tx, destinationId);
  if (before === null || before.accountId !== accountId || before.isDeleted) return { kind: "missing" };
  if (before.state !== "on") return { kind: before.state };
  const moved = await makeWaitingDue(tx, { destinationId, rowsMax, nowMs }, dialect);
  if (!isContinued) {
    await endCoolDownOf(tx, { id: destinationId, by, nowMs }, dialect);
    const subject = await findName(tx, destinationId);
    await writeAudit(tx, { accountId, nowMs, by, action: "waiting_sent", subject });
  }
  return { kind: "sent", moved, hasMore: moved === rowsMax };
}

/** Its URL was changed: a new health, and what waits is due now, with most of its retries. */
export async function startAnew<Tx extends SqlTransaction>(
  tx: Tx,
  { id, by, nowMs }: { readonly id: string; readonly by: Actor; readonly nowMs: number },
  dialect: WaitingSteps<Tx>,
): Promise<void> {
  const before = await dialect.lockDestination(tx, id);
  if (before === null) return;
  await makeWaitingDue(tx, { destinationId: id, rowsMax: DUE_WITH_URL_MAX, nowMs }, dialect);
  const after = forgive(before);
  await endTrouble(tx, id, { before, end: "url_changed", nowMs });
  await alertOperatorToEnd(tx, id, { reason: "url_changed", before, nowMs });
  await dialect.changeDestination(tx, id, { after, reason: "url_changed", actor: by.person, nowMs });
}

/** Guess: a tenth of a second of a transaction that a person waits for. Further ones keep their times. */
const DUE_WITH_URL_MAX = 10_000;

interface WaitingToMove {
  readonly destinationId: string;
  readonly rowsMax: number;
  readonly nowMs: number;
}

/** The destination is locked: its bound is not raised meanwhile. */
async function makeWaitingDue<Tx extends SqlTransaction>(
  tx: Tx,
  { destinationId, rowsMax, nowMs }: WaitingToMove,
  { lowerDueBound }: Pick<Dialect<Tx>, "lowerDueBound">,
): Promise<number> {
  const moved = await tx.db.run(MAKE_WAITING_DUE, nowMs, destinationId, rowsMax);
  if (moved > 0) await lowerDueBound(tx, destinationId, nowMs);
  return moved;
}

/** Exported for the test that reads its plan. A delivery that a node holds is left to it. */
export const MAKE_WAITING_DUE = `-- name: make what waits due
  with later as materialized (
    select id
    from deliveries
    where destination_id = $2 and state = 'pending' and not is_ended and due_at > $1 and claim_token is null
    order by due_at
    limit $3
    for no key update skip locked
  )
  update deliveries
  set due_at = $1
  where id in (select id from later) and state = 'pending' and not is_ended`;
