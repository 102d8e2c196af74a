/**
 * Notices to the operator: written in the transaction of what they tell, taken by one node at a time.
 *
 *     written ──► claimed ──► told (the row goes)
 *        ▲            └──► put off, or its claim ends ──┐
 *        └──────────────────────────────────────────────┘
 */
import { assert } from "../../lib/assert.ts";
import type { DestinationNow } from "../destination-now.ts";
import { type NoticedRow, type OperatorNews, operatorNewsBody, operatorNewsOf, quietMsOf } from "../operator-news.ts";
import type { ClaimNotices, NoteCondition, SettleOperatorNotice, StoredOperatorNotice } from "../contract/notices.ts";
import type { Transaction } from "./transaction.ts";

export function noteCondition(tx: Transaction, params: NoteCondition): "noted" | "unchanged" {
  const { subject, isRaised, nowMs, quietMs, body } = params;
  const isNews = isRaised ? raise(tx, { subject, nowMs, quietMs }) : lower(tx, subject);
  if (!isNews) return "unchanged";
  tx.db.run(INSERT_OPERATOR_NOTICE, subject, nowMs, body);
  return "noted";
}

export interface Turn {
  readonly before: DestinationNow;
  readonly after: DestinationNow;
  readonly nowMs: number;
}

/** What an attempt has changed. */
export function tellOperator(tx: Transaction, destinationId: string, { before, after, nowMs }: Turn): void {
  const news = operatorNewsOf(before, after);
  if (news === null) return;
  const view = news.kind === "destination_recovered" ? before : after;
  tell(tx, destinationId, { news, view, nowMs });
}

/** What a person has ended, if the operator was told that it began. `before`: the destination until then. */
export function tellOperatorOfEnd(
  tx: Transaction,
  destinationId: string,
  end: { readonly reason: "turned_on" | "deleted"; readonly before: DestinationNow; readonly nowMs: number },
): void {
  const news = { kind: "destination_recovered", reason: end.reason } as const;
  tell(tx, destinationId, { news, view: end.before, nowMs: end.nowMs });
}

interface Telling {
  readonly news: OperatorNews;
  readonly view: DestinationNow;
  readonly nowMs: number;
}

function tell(tx: Transaction, destinationId: string, { news, view, nowMs }: Telling): void {
  const isEnd = news.kind === "destination_recovered";
  const isNews = isEnd
    ? lower(tx, destinationId)
    : raise(tx, { subject: destinationId, nowMs, quietMs: quietMsOf(news) });
  if (!isNews && news.kind !== "destination_turned_off") return;
  const row = tx.db.get<NoticedRow>(FIND_NOTICED, destinationId);
  assert(row !== undefined, `there is no destination ${destinationId}`);
  tx.db.run(INSERT_OPERATOR_NOTICE, destinationId, nowMs, operatorNewsBody(news, row, { view, nowMs }));
}

/** False when it is so already, or was told less than `quietMs` ago. */
function raise(tx: Transaction, { subject, nowMs, quietMs }: Omit<NoteCondition, "isRaised" | "body">): boolean {
  return tx.db.run(RAISE_CONDITION, subject, nowMs, nowMs - quietMs) === 1;
}

const lower = (tx: Transaction, subject: string): boolean => tx.db.run(LOWER_CONDITION, subject) === 1;

export function claimOperatorNotices(tx: Transaction, params: ClaimNotices): StoredOperatorNotice[] {
  const { nowMs, claimToken, claimUntilMs, noticesMax } = params;
  tx.db.run(CLAIM_OPERATOR_NOTICES, claimToken, claimUntilMs, nowMs, noticesMax);
  return tx.db.all<StoredOperatorNotice>(LIST_CLAIMED, claimToken).map((row) => ({ ...row }));
}

export function settleOperatorNoticeIfClaimed(tx: Transaction, params: SettleOperatorNotice): void {
  const { noticeSeq, claimToken, retryAtMs } = params;
  if (retryAtMs === null) tx.db.run(DELETE_OPERATOR_NOTICE, noticeSeq, claimToken);
  else tx.db.run(PUT_OFF_OPERATOR_NOTICE, retryAtMs, noticeSeq, claimToken);
}

const RAISE_CONDITION = `-- name: raise condition unless it is raised or was told lately
  insert into operator_conditions (subject, is_raised, raised_at)
  values (?, 1, ?)
  on conflict (subject) do update
  set is_raised = 1, raised_at = excluded.raised_at
  where operator_conditions.is_raised = 0 and operator_conditions.raised_at <= ?`;

const LOWER_CONDITION = `-- name: lower condition if it is raised
  update operator_conditions
  set is_raised = 0
  where subject = ? and is_raised = 1`;

const INSERT_OPERATOR_NOTICE = `-- name: insert operator notice
  insert into operator_notices (subject, at, body)
  values (?, ?, ?)`;

const FIND_NOTICED = `-- name: find whose destination it is
  select d.id, d.url, a.id as "accountId", a.name as "accountName", d.owner_kind as "ownerKind",
    d.owner_id as "ownerId", coalesce(l.name, c.name) as "ownerName"
  from destinations d
  join accounts a on a.id = d.account_id
  left join alerts l on d.owner_kind = 'alert' and l.account_id = a.id and l.id = d.owner_id
  left join chat_assistants c on d.owner_kind = 'assistant' and c.account_id = a.id and c.id = d.owner_id
  where d.id = ?`;

const CLAIM_OPERATOR_NOTICES = `-- name: claim operator notices that nobody holds
  update operator_notices
  set claim_token = ?, claimed_until = ?, attempts = attempts + 1
  where seq in (
    select seq
    from operator_notices n
    where claimed_until <= ?
      and not exists (select 1 from operator_notices where subject = n.subject and seq < n.seq)
    order by seq
    limit ?
  )`;

const LIST_CLAIMED = `-- name: list claimed operator notices
  select seq, subject, at as "atMs", body, attempts
  from operator_notices
  where claim_token = ?
  order by seq`;

const DELETE_OPERATOR_NOTICE = `-- name: delete operator notice if claimed
  delete from operator_notices
  where seq = ? and claim_token = ?`;

const PUT_OFF_OPERATOR_NOTICE = `-- name: put operator notice off if claimed
  update operator_notices
  set claim_token = null, claimed_until = ?
  where seq = ? and claim_token = ?`;
