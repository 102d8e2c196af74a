/** Destinations that are asked: their tokens, and what programs are handed of them. */
import type { DestinationState } from "../../domain/destination.ts";
import { isPulled, PULL_URL } from "../../domain/pull.ts";
import type {
  EndedPull,
  HandedMessage,
  HandedOutResult,
  HandOutDue,
  HeldMessage,
  ListHandedOut,
  PulledDestination,
  PullVerbs,
  PutPullToken,
} from "../contract/pull.ts";
import { writeAudit } from "./audit.ts";
import { findName } from "./path/destinations.ts";
import type { PullSteps } from "./dialect.ts";
import { type DueMessage, HELD_COLUMNS, listRunOut } from "./path/pull-rows.ts";
import type { Flag, SqlTransaction } from "./transaction.ts";

export async function putPullToken(
  tx: SqlTransaction,
  { accountId, destinationId, tokenHash, by, nowMs }: PutPullToken,
): Promise<"put" | "missing"> {
  const put = await tx.db.run(PUT_TOKEN, tokenHash, nowMs, destinationId, accountId);
  if (put === 0) return "missing";
  await writeAudit(tx, { accountId, nowMs, by, action: "pull_token_made", subject: await findName(tx, destinationId) });
  return "put";
}

export async function findPulled(
  tx: SqlTransaction,
  { tokenHash, nowMs }: Parameters<PullVerbs["findPulled"]>[0],
): Promise<PulledDestination | null> {
  const found = await tx.db.get<PulledDestination>(FIND_PULLED, tokenHash, nowMs);
  return found === undefined ? null : { ...found };
}

export async function hasPulled(tx: SqlTransaction, { nowMs }: { readonly nowMs: number }): Promise<boolean> {
  return Boolean((await tx.db.get<{ found: Flag }>(HAS_PULLED, nowMs))?.found);
}

export async function handOut<Tx extends SqlTransaction>(
  tx: Tx,
  params: HandOutDue,
  { takeDueMessages, holdMessages, settleHere }: PullSteps<Tx>,
): Promise<HandedOutResult> {
  const { accountId, destinationId, tokenHash, nowMs, claim } = params;
  const destination = await tx.db.get<AskedDestination>(FIND_ASKED, destinationId, accountId, tokenHash);
  const isAsked = destination !== undefined && isPulled(destination);
  if (!isAsked || destination.state !== "on") return { isAsked, messages: [], notAcknowledged: [], failed: [] };
  const due = await takeDueMessages(tx, params);
  const runOut = listRunOut(due, nowMs);
  if (runOut.length > 0) await settleHere(tx, { nowMs, settlements: runOut });
  const failed = runOut.flatMap(({ deliveryId, next }) => (next.state === "failed" ? [deliveryId] : []));
  const again = runOut.flatMap(({ deliveryId, next }) => (next.state === "pending" ? [deliveryId] : []));
  const handed = due.filter(({ deliveryId }) => !failed.includes(deliveryId));
  const ids = handed.map(({ deliveryId }) => deliveryId);
  if (ids.length > 0) await holdMessages(tx, ids, claim);
  const messages = handed.map((row) => toHanded(row, again.includes(row.deliveryId))).toSorted(byAge);
  return { isAsked, messages, notAcknowledged: again, failed };
}

interface AskedDestination {
  readonly url: string;
  readonly state: DestinationState;
}

/** `isAgain`: the attempt that ran out is counted by now. */
function toHanded(due: DueMessage, isAgain: boolean): HandedMessage {
  const { deliveryId, eventId, eventType, body, pendingSinceMs } = due;
  const more = isAgain ? 1 : 0;
  const attempts = {
    attemptsMade: due.attemptsMade + more,
    attemptsInSchedule: due.attemptsInSchedule + more,
  };
  return { deliveryId, eventId, eventType, body, pendingSinceMs, ...attempts };
}

const byAge = (one: HandedMessage, other: HandedMessage): number =>
  one.pendingSinceMs - other.pendingSinceMs || (one.deliveryId < other.deliveryId ? -1 : 1);

/** The most of one claim; `pull/pull.ts` hands out no more. */
const HELD_MAX = 1_000;

export async function listHandedOut(
  tx: SqlTransaction,
  { accountId, destinationId, claim }: ListHandedOut,
): Promise<readonly HeldMessage[]> {
  const values = [destinationId, claim.untilMs, claim.token, accountId, HELD_MAX] as const;
  return (await tx.db.all<HeldMessage>(LIST_HANDED_OUT, ...values)).map((row) => ({ ...row }));
}

export async function listEndedPulls(
  tx: SqlTransaction,
  { nowMs, limit }: Parameters<PullVerbs["listEndedPulls"]>[0],
): Promise<readonly EndedPull[]> {
  return (await tx.db.all<EndedPull>(LIST_ENDED, nowMs, limit)).map((row) => ({ ...row }));
}

const PUT_TOKEN = `-- name: put token of destination that is asked
  update pulls
  set token_hash = $1, made_at = $2
  where destination_id = $3 and account_id = $4`;

const FIND_ASKED = `-- name: find destination that is asked
  select d.url, d.state
  from destinations d
  join pulls p on p.destination_id = d.id
  where d.id = $1 and d.account_id = $2 and d.deleted_at is null and p.token_hash = $3`;

const FIND_PULLED = `-- name: find destination of token
  select p.account_id as "accountId", p.destination_id as "destinationId"
  from pulls p
  join destinations d on d.id = p.destination_id
  where p.token_hash = $1 and (p.ends_at is null or p.ends_at > $2) and d.url = '${PULL_URL}' and d.deleted_at is null`;

const HAS_PULLED = `-- name: find out whether any destination is asked
  select exists (select 1 from pulls where token_hash is not null and (ends_at is null or ends_at > $1)) as found`;

/** Its rows are due when it runs out, so that the queue's own order finds them. Exported for the test of its plan. */
export const LIST_HANDED_OUT = `-- name: list messages that a claim holds
  select ${HELD_COLUMNS}
  from deliveries d
  where d.destination_id = $1 and d.state = 'pending' and not d.is_ended and d.due_at = $2 and d.claim_token = $3
    and d.account_id = $4
  order by d.id
  limit $5`;

const LIST_ENDED = `-- name: list webhooks whose time as asked ones is over
  select p.account_id as "accountId", w.id as "webhookId", w.revision
  from pulls p
  join destinations d on d.id = p.destination_id
  join webhooks w on w.account_id = p.account_id and w.id = d.owner_id and w.destination_id = d.id
  where p.ends_at <= $1 and d.deleted_at is null
  order by p.ends_at
  limit $2`;
