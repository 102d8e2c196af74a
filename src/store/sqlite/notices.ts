/**
 * News for an account's owners: written in the transaction that changes the destination, taken by one node at a time.
 *
 *     written ──► claimed ──► acknowledged (the row goes)
 *        ▲            └──► its claim ends ──┐
 *        └─────────────────────────────────┘
 */
import type { DestinationOffReason } from "../../domain/destination.ts";
import type { ClaimNotices, StoredNotice } from "../dashboard-verbs.ts";
import type { Transaction } from "./transaction.ts";

export interface NewNotice {
  readonly accountId: string;
  readonly destinationId: string;
  readonly kind: StoredNotice["kind"];
  readonly nowMs: number;
}

/** False, and nothing is written, for an account that names nobody: there is no one to tell. */
export function writeNotice(tx: Transaction, { accountId, destinationId, kind, nowMs }: NewNotice): boolean {
  return tx.db.run(INSERT_NOTICE, destinationId, kind, nowMs, accountId) === 1;
}

/** When an account names nobody any more, there is nobody to tell what it was still to be told. */
export function dropNotices(tx: Transaction, accountId: string): void {
  tx.db.run(DROP_NOTICES, accountId);
}

export function claimNotices(tx: Transaction, params: ClaimNotices): StoredNotice[] {
  const { nowMs, claimToken, claimUntilMs, noticesMax } = params;
  tx.db.run(CLAIM_NOTICES, claimToken, claimUntilMs, nowMs, noticesMax);
  return tx.db.all<NoticeRow>(LIST_CLAIMED, claimToken).map(noticeOf);
}

export function acknowledgeNotice(
  tx: Transaction,
  { noticeSeq, claimToken }: { noticeSeq: number; claimToken: string },
): void {
  tx.db.run(DELETE_NOTICE, noticeSeq, claimToken);
}

function noticeOf(row: NoticeRow): StoredNotice {
  const { seq, kind, atMs, accountId, accountName } = row;
  const isFailure = row.lastFailureAtMs !== null && row.lastFailureOutcome !== null;
  return {
    seq,
    kind,
    atMs,
    accountId,
    accountName,
    addresses: JSON.parse(row.addresses) as string[],
    destination: {
      id: row.destinationId,
      url: row.url,
      owner: {
        kind: row.ownerKind,
        id: row.ownerId,
        name: row.ownerName ?? row.ownerId,
        isDeleted: row.isDeleted === 1,
      },
      offReason: row.offReason,
      failingSinceMs: row.failingSinceMs,
      lastFailure: isFailure
        ? { atMs: row.lastFailureAtMs ?? 0, outcome: row.lastFailureOutcome ?? "", status: row.lastFailureStatus }
        : null,
    },
  };
}

interface NoticeRow {
  readonly seq: number;
  readonly kind: StoredNotice["kind"];
  readonly atMs: number;
  readonly accountId: string;
  readonly accountName: string;
  readonly addresses: string;
  readonly destinationId: string;
  readonly url: string;
  readonly ownerKind: "alert" | "assistant";
  readonly ownerId: string;
  readonly ownerName: string | null;
  readonly isDeleted: number;
  readonly offReason: DestinationOffReason | null;
  readonly failingSinceMs: number | null;
  readonly lastFailureAtMs: number | null;
  readonly lastFailureOutcome: string | null;
  readonly lastFailureStatus: number | null;
}

const INSERT_NOTICE = `-- name: insert notice unless nobody is to be told
  insert into notices (account_id, destination_id, kind, at)
  select id, ?, ?, ?
  from accounts
  where id = ? and failure_mail <> '[]'`;

const CLAIM_NOTICES = `-- name: claim notices that nobody holds
  update notices
  set claim_token = ?, claimed_until = ?
  where seq in (select seq from notices where claimed_until <= ? order by seq limit ?)`;

const LIST_CLAIMED = `-- name: list claimed notices
  select n.seq, n.kind, n.at as "atMs", a.id as "accountId", a.name as "accountName", a.failure_mail as addresses,
    d.id as "destinationId", d.url, d.owner_kind as "ownerKind", d.owner_id as "ownerId",
    coalesce(l.name, c.name) as "ownerName", d.deleted_at is not null as "isDeleted", d.off_reason as "offReason",
    d.failing_since_at as "failingSinceMs", d.last_failure_at as "lastFailureAtMs",
    d.last_failure_outcome as "lastFailureOutcome", d.last_failure_status as "lastFailureStatus"
  from notices n
  join accounts a on a.id = n.account_id
  join destinations d on d.id = n.destination_id
  left join alerts l on d.owner_kind = 'alert' and l.account_id = a.id and l.id = d.owner_id
  left join chat_assistants c on d.owner_kind = 'assistant' and c.account_id = a.id and c.id = d.owner_id
  where n.claim_token = ?
  order by n.seq`;

const DROP_NOTICES = `-- name: delete notices of account
  delete from notices
  where account_id = ?`;

const DELETE_NOTICE = `-- name: delete notice if claimed
  delete from notices
  where seq = ? and claim_token = ?`;
