/**
 * A person wants what waits for a destination to go out now: after the receiver was mended, or its URL was changed.
 * Its rest is one row, and what is due already is not touched: after an outage that is nearly everything, because only
 * attempts that failed put a delivery's due time ahead. Those are moved in steps, the earliest first.
 */
import { forgive } from "../../../domain/destination-now.ts";
import type { Actor } from "../../../domain/actor.ts";
import type { SendWaiting, SendWaitingResult } from "../../contract/destinations.ts";
import { writeAudit } from "../audit.ts";
import { findName } from "./destination-changes.ts";
import type { Dialect } from "../dialect.ts";
import { endTrouble } from "../news/incidents.ts";
import { tellOperatorOfEnd } from "../news/operator-notices.ts";
import { endCoolDownOf } from "./resends.ts";
import type { SqlTransaction } from "../transaction.ts";

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
  await tellOperatorOfEnd(tx, id, { reason: "url_changed", before, nowMs });
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
      and bucket = any ($buckets)
    order by due_at
    limit $3
    for no key update skip locked
  )
  update deliveries
  set due_at = $1
  where id in (select id from later) and state = 'pending' and not is_ended and bucket = any ($buckets)`;
