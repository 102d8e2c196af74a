/**
 * News for the readers of confirmed addresses: written in the transaction that changes the destination, the latest of
 * each destination, and taken together, by one node, once in a while.
 *
 *     written ──► claimed ──► sent (the row goes)
 *        ▲           ├──► its time runs out ──► claimed again
 *        └───────────┴──► newer news: the claim is off
 */
import { LIMITS } from "../../domain/limits.ts";
import { DIGEST_GATHER_MS, NEWS_MS_MAX } from "../../domain/mail-address.ts";
import { type LineRow, linesOf } from "../mail-rows.ts";
import type { ClaimDigests, ClaimedDigest, NewsKind, SettleDigest } from "../contract/mail.ts";
import type { Transaction } from "./transaction.ts";

export interface News {
  readonly accountId: string;
  readonly destinationId: string;
  readonly kind: NewsKind;
  readonly nowMs: number;
}

/** False, and nothing is written, for an account whose letters nobody wants: there is no one to tell. */
export function writeNews(tx: Transaction, { accountId, destinationId, kind, nowMs }: News): boolean {
  return tx.db.run(WRITE_NEWS, destinationId, kind, nowMs, accountId) > 0;
}

export function claimDigests(tx: Transaction, params: ClaimDigests): ClaimedDigest[] {
  const { nowMs, claimToken, digestsMax, linesMax } = params;
  const newsAfterMs = nowMs - NEWS_MS_MAX;
  const due = tx.db.all<DigestRow>(LIST_DUE, newsAfterMs, nowMs - DIGEST_GATHER_MS, nowMs, digestsMax);
  return due.map((row) => {
    tx.db.run(CLAIM_ADDRESS, claimToken, nowMs + LIMITS.digestGapMs, row.addressId);
    tx.db.run(CLAIM_NEWS, claimToken, row.addressId);
    const lines = [
      ...tx.db.all<LineRow>(LIST_NEWS, row.addressId, newsAfterMs, linesMax),
      ...tx.db.all<LineRow>(LIST_STILL_FAILING, row.accountId, row.addressId, newsAfterMs, linesMax),
    ];
    return { ...row, ...linesOf(lines) };
  });
}

export function settleDigestIfClaimed(tx: Transaction, { addressId, claimToken, retryAtMs }: SettleDigest): void {
  if (retryAtMs !== null) tx.db.run(PUT_OFF_DIGEST, retryAtMs, addressId, claimToken);
  else if (tx.db.run(SETTLE_ADDRESS, addressId, claimToken) === 1) tx.db.run(DELETE_NEWS, addressId, claimToken);
}

type DigestRow = Omit<ClaimedDigest, "lines" | "counts">;

const WRITE_NEWS = `-- name: write news for confirmed mail addresses
  insert into failure_news (address_id, destination_id, kind, at)
  select id, ?, ?, ?
  from mail_addresses
  where account_id = ? and confirmed_at is not null and stopped_at is null and removed_at is null
  on conflict (address_id, destination_id) do update
  set kind = excluded.kind, at = excluded.at, claim_token = null`;

/** Reads what is not told yet: of each destination that is in the news one row for each address. */
const LIST_DUE = `-- name: list mail addresses that a digest is due to
  select a.id as "addressId", a.address, a.account_id as "accountId", c.name as "accountName",
    a.sealed_stop as "sealedStop"
  from (select address_id, min(at) as oldest_at from failure_news where at > ? group by address_id) n
  join mail_addresses a on a.id = n.address_id
  join accounts c on c.id = a.account_id
  where n.oldest_at <= ? and a.quiet_until <= ? and a.confirmed_at is not null and a.stopped_at is null
    and a.removed_at is null
  order by a.quiet_until, a.id
  limit ?`;

const CLAIM_ADDRESS = `-- name: claim digest of mail address
  update mail_addresses
  set digest_token = ?, quiet_until = ?
  where id = ?`;

const CLAIM_NEWS = `-- name: claim news of mail address
  update failure_news
  set claim_token = ?
  where address_id = ?`;

const LINE = `d.id as "destinationId", d.url, d.owner_kind as "ownerKind", d.owner_id as "ownerId",
    coalesce(l.name, c.name) as "ownerName", d.off_reason as "offReason", d.failing_since_at as "failingSinceMs",
    d.last_failure_at as "lastFailureAtMs", d.last_failure_outcome as "lastFailureOutcome",
    d.last_failure_status as "lastFailureStatus"`;

const OWNERS = `left join alerts l on d.owner_kind = 'alert' and l.account_id = d.account_id and l.id = d.owner_id
  left join chat_assistants c on d.owner_kind = 'assistant' and c.account_id = d.account_id and c.id = d.owner_id`;

/** Nothing of what was deleted meanwhile: whoever did that knows. */
const LIST_NEWS = `-- name: list news of mail address
  select n.kind, n.at as "atMs", n.total, ${LINE}
  from (
    select f.kind, f.at, f.destination_id, count(*) over (partition by f.kind) as total,
      row_number() over (partition by f.kind order by f.at, f.destination_id) as place
    from failure_news f
    join destinations t on t.id = f.destination_id and t.deleted_at is null
    where f.address_id = ? and f.at > ?
  ) n
  join destinations d on d.id = n.destination_id
  ${OWNERS}
  where n.place <= ?
  order by n.kind, n.at, n.destination_id`;

const LIST_STILL_FAILING = `-- name: list destinations that still fail
  select 'still_failing' as kind, coalesce(d.failing_since_at, d.told_at) as "atMs", count(*) over () as total, ${LINE}
  from destinations d
  ${OWNERS}
  where d.account_id = ? and d.is_told and d.state = 'on' and d.deleted_at is null and not exists (
    select 1 from failure_news n where n.address_id = ? and n.destination_id = d.id and n.at > ?
  )
  order by "atMs", d.id
  limit ?`;

const SETTLE_ADDRESS = `-- name: settle digest of mail address if claimed
  update mail_addresses
  set digest_token = null
  where id = ? and digest_token = ?`;

const PUT_OFF_DIGEST = `-- name: put digest of mail address off if claimed
  update mail_addresses
  set digest_token = null, quiet_until = ?
  where id = ? and digest_token = ?`;

const DELETE_NEWS = `-- name: delete news that was told
  delete from failure_news
  where address_id = ? and claim_token = ?`;
