/**
 * Notices to the operator: written in the transaction of what they tell, taken by one node at a time.
 *
 *     written ──► claimed ──► told (the row goes)
 *        ▲            └──► put off, or its claim ends ──┐
 *        └──────────────────────────────────────────────┘
 */
import { assert } from "../../../lib/assert.ts";
import type { DestinationNow } from "../../../domain/destination-now.ts";
import {
  type NamedDestination,
  type OperatorNews,
  composeOperatorNotice,
  findOperatorNews,
  findQuietMs,
} from "../../../domain/operator-news.ts";
import type {
  ClaimNotices,
  NoteCondition,
  SettleOperatorNotice,
  StoredOperatorNotice,
} from "../../contract/notices.ts";
import type { SqlTransaction } from "../transaction.ts";

export async function noteCondition(tx: SqlTransaction, params: NoteCondition): Promise<"noted" | "unchanged"> {
  const { subject, isRaised, nowMs, quietMs, body } = params;
  const isNews = await (isRaised ? raise(tx, { subject, nowMs, quietMs }) : lower(tx, subject));
  if (!isNews) return "unchanged";
  await tx.db.run(INSERT_OPERATOR_NOTICE, subject, nowMs, body);
  return "noted";
}

export interface Turn {
  readonly before: DestinationNow;
  readonly after: DestinationNow;
  readonly nowMs: number;
}

/** For a change by an attempt. The destination is locked, and with it its condition. */
export async function tellOperator(
  tx: SqlTransaction,
  destinationId: string,
  { before, after, nowMs }: Turn,
): Promise<void> {
  const news = findOperatorNews(before, after);
  if (news === null) return;
  const view = news.kind === "destination_recovered" ? before : after;
  await tell(tx, destinationId, { news, view, nowMs });
}

/** For trouble that a person has ended, if the operator was told of it. `before`: the destination until then. */
export async function tellOperatorOfEnd(
  tx: SqlTransaction,
  destinationId: string,
  end: {
    readonly reason: "turned_on" | "url_changed" | "deleted";
    readonly before: DestinationNow;
    readonly nowMs: number;
  },
): Promise<void> {
  const news = { kind: "destination_recovered", reason: end.reason } as const;
  await tell(tx, destinationId, { news, view: end.before, nowMs: end.nowMs });
}

interface Telling {
  readonly news: OperatorNews;
  readonly view: DestinationNow;
  readonly nowMs: number;
}

async function tell(tx: SqlTransaction, destinationId: string, { news, view, nowMs }: Telling): Promise<void> {
  const isEnd = news.kind === "destination_recovered";
  const isNews = await (isEnd
    ? lower(tx, destinationId)
    : raise(tx, { subject: destinationId, nowMs, quietMs: findQuietMs(news) }));
  if (!isNews && news.kind !== "destination_turned_off") return;
  const row = await tx.db.get<NamedDestination>(FIND_NOTICED, destinationId);
  assert(row !== undefined, `there is no destination ${destinationId}`);
  await tx.db.run(INSERT_OPERATOR_NOTICE, destinationId, nowMs, composeOperatorNotice(news, row, { view, nowMs }));
}

/** False when it is so already, or was told less than `quietMs` ago. */
async function raise(
  tx: SqlTransaction,
  { subject, nowMs, quietMs }: Omit<NoteCondition, "isRaised" | "body">,
): Promise<boolean> {
  return (await tx.db.run(RAISE_CONDITION, subject, nowMs, nowMs - quietMs)) === 1;
}

const lower = async (tx: SqlTransaction, subject: string): Promise<boolean> =>
  (await tx.db.run(LOWER_CONDITION, subject)) === 1;

export async function claimOperatorNotices(tx: SqlTransaction, params: ClaimNotices): Promise<StoredOperatorNotice[]> {
  const { nowMs, claimToken, claimUntilMs, noticesMax } = params;
  await tx.db.run(CLAIM_OPERATOR_NOTICES, claimToken, claimUntilMs, nowMs, noticesMax);
  return (await tx.db.all<StoredOperatorNotice>(LIST_CLAIMED, claimToken)).map((row) => ({ ...row }));
}

export async function settleOperatorNoticeIfClaimed(tx: SqlTransaction, params: SettleOperatorNotice): Promise<void> {
  const { noticeSeq, claimToken, retryAtMs } = params;
  if (retryAtMs === null) await tx.db.run(DELETE_OPERATOR_NOTICE, noticeSeq, claimToken);
  else await tx.db.run(PUT_OFF_OPERATOR_NOTICE, retryAtMs, noticeSeq, claimToken);
}

const RAISE_CONDITION = `-- name: raise condition unless it is raised or was told lately
  insert into operator_conditions (subject, is_raised, raised_at)
  values ($1, true, $2)
  on conflict (subject) do update
  set is_raised = true, raised_at = excluded.raised_at
  where not operator_conditions.is_raised and operator_conditions.raised_at <= $3`;

const LOWER_CONDITION = `-- name: lower condition if it is raised
  update operator_conditions
  set is_raised = false
  where subject = $1 and is_raised`;

const INSERT_OPERATOR_NOTICE = `-- name: insert operator notice
  insert into operator_notices (subject, at, body)
  values ($1, $2, $3)`;

const FIND_NOTICED = `-- name: find whose destination it is
  select d.id, d.url, a.id as "accountId", a.name as "accountName", d.owner_kind as "ownerKind",
    d.owner_id as "ownerId", coalesce(l.name, c.name) as "ownerName"
  from destinations d
  join accounts a on a.id = d.account_id and a.bucket = d.bucket
  left join alerts l on d.owner_kind = 'alert' and l.account_id = a.id and l.id = d.owner_id and l.bucket = d.bucket
  left join chat_assistants c on d.owner_kind = 'assistant' and c.account_id = a.id and c.id = d.owner_id
    and c.bucket = d.bucket
  where d.id = $1 and d.bucket = any ($buckets)`;

const CLAIM_OPERATOR_NOTICES = `-- name: claim operator notices that nobody holds
  with free as materialized (
    select seq
    from operator_notices n
    where claimed_until <= $3
      and not exists (select 1 from operator_notices where subject = n.subject and seq < n.seq)
    order by seq
    limit $4
    for update skip locked
  )
  update operator_notices
  set claim_token = $1, claimed_until = $2, attempts = attempts + 1
  where seq in (select seq from free)`;

const LIST_CLAIMED = `-- name: list claimed operator notices
  select seq, subject, at as "atMs", body, attempts
  from operator_notices
  where claim_token = $1
  order by seq`;

const DELETE_OPERATOR_NOTICE = `-- name: delete operator notice if claimed
  delete from operator_notices
  where seq = $1 and claim_token = $2`;

const PUT_OFF_OPERATOR_NOTICE = `-- name: put operator notice off if claimed
  update operator_notices
  set claim_token = null, claimed_until = $1
  where seq = $2 and claim_token = $3`;
