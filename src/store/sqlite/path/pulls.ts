/** Handing out on SQLite: the queue of one destination, in the order that a claim of a node would take it. */
import type { HandOut } from "../../../domain/pull.ts";
import type { HandOutDue, ListPulledDue } from "../../contract/pull.ts";
import type { SettleAttempts } from "../../contract/path.ts";
import type { PullSteps } from "../../sql/dialect.ts";
import { type DueMessage, HELD_COLUMNS } from "../../sql/path/pull-rows.ts";
import { packAttempt } from "../attempts.ts";
import { settleAttemptsIfClaimed } from "./settlements.ts";
import type { Transaction } from "../transaction.ts";

export const PULL_STEPS: PullSteps<Transaction> = { takeDueMessages, holdMessages, settleHere };

/** Reads no further than bodies fit. */
function takeDueMessages(
  tx: Transaction,
  { destinationId, nowMs, deliveriesMax, bodyCharsMax }: HandOutDue,
): DueMessage[] {
  const due: DueMessage[] = [];
  let chars = 0;
  for (const row of tx.db.each<DueMessage>(LIST_DUE_MESSAGES, destinationId, nowMs, deliveriesMax)) {
    chars += row.body.length;
    if (due.length > 0 && chars > bodyCharsMax) break;
    due.push({ ...row });
  }
  return due;
}

function holdMessages(tx: Transaction, ids: readonly string[], { token, untilMs }: HandOut): void {
  for (const id of ids) tx.db.run(HOLD_MESSAGE, token, untilMs, id);
}

async function settleHere(tx: Transaction, { nowMs, settlements }: SettleAttempts): Promise<void> {
  const packed = settlements.map((settlement) => ({ ...settlement, attempt: packAttempt(settlement.attempt) }));
  await settleAttemptsIfClaimed(tx, { nowMs, settlements: packed });
}

export function listPulledDue(tx: Transaction, { pulled, nowMs }: ListPulledDue): readonly string[] {
  return pulled.flatMap(({ destinationId }) =>
    tx.db.get(FIND_DUE_MESSAGE, destinationId, nowMs) === undefined ? [] : [destinationId],
  );
}

/** Exported for the test that reads its plan: never a scan, never a sort. */
export const LIST_DUE_MESSAGES = `-- name: list due messages of destination
  select ${HELD_COLUMNS}, d.account_id as "accountId", d.claim_token as "claimToken", e.id as "eventId",
    e.type as "eventType", e.body
  from deliveries d
  join events e on e.seq = d.event_seq
  where d.destination_id = ? and d.state = 'pending' and d.due_at <= ?
  order by d.due_at, d.claim_token, d.id
  limit ?`;

const HOLD_MESSAGE = `-- name: hand out message
  update deliveries
  set claim_token = ?, due_at = ?
  where id = ? and state = 'pending'`;

/** Exported for the same test. */
export const FIND_DUE_MESSAGE = `-- name: find whether destination has something due
  select 1 as found
  from destinations t
  join deliveries d on d.destination_id = t.id
  where t.id = ? and t.state = 'on' and d.state = 'pending' and d.due_at <= ?
  limit 1`;
