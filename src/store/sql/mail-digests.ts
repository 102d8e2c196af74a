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
import type { NewsKind } from "../../domain/outage-news.ts";
import { type LineRow, toDigestLines } from "./mail-rows.ts";
import type { ClaimDigests, ClaimedDigest, SettleDigest } from "../contract/mail.ts";
import type { SqlTransaction } from "./transaction.ts";

export interface News {
  readonly accountId: string;
  readonly destinationId: string;
  readonly kind: NewsKind;
  readonly nowMs: number;
}

/** False, and nothing is written, for an account without a confirmed address. */
export async function writeNews(tx: SqlTransaction, { accountId, destinationId, kind, nowMs }: News): Promise<boolean> {
  return (await tx.db.run(WRITE_NEWS, destinationId, kind, nowMs, accountId)) > 0;
}

export async function claimDigests(tx: SqlTransaction, params: ClaimDigests): Promise<ClaimedDigest[]> {
  const { nowMs, claimToken, digestsMax, linesMax } = params;
  const newsAfterMs = nowMs - NEWS_MS_MAX;
  const due = await tx.db.all<DigestRow>(LIST_DUE, newsAfterMs, nowMs - DIGEST_GATHER_MS, nowMs, digestsMax);
  const digests = [];
  for (const row of due) {
    await tx.db.run(CLAIM_ADDRESS, claimToken, nowMs + LIMITS.digestGapMs, row.addressId);
    await tx.db.run(CLAIM_NEWS, claimToken, row.addressId);
    const lines = [
      ...(await tx.db.all<LineRow>(LIST_NEWS, row.addressId, newsAfterMs, linesMax)),
      ...(await tx.db.all<LineRow>(LIST_STILL_FAILING, row.accountId, row.addressId, newsAfterMs, linesMax)),
    ];
    digests.push({ ...row, ...toDigestLines(lines) });
  }
  return digests;
}

export async function settleDigestIfClaimed(
  tx: SqlTransaction,
  { addressId, claimToken, retryAtMs }: SettleDigest,
): Promise<void> {
  if (retryAtMs !== null) await tx.db.run(PUT_OFF_DIGEST, retryAtMs, addressId, claimToken);
  else if ((await tx.db.run(SETTLE_ADDRESS, addressId, claimToken)) === 1)
    await tx.db.run(DELETE_NEWS, addressId, claimToken);
}

type DigestRow = Omit<ClaimedDigest, "lines" | "counts">;

const WRITE_NEWS = `-- name: write news for confirmed mail addresses
  insert into failure_news (address_id, destination_id, kind, at)
  select id, $1, $2, $3
  from mail_addresses
  where account_id = $4 and confirmed_at is not null and stopped_at is null and removed_at is null
  on conflict (address_id, destination_id) do update
  set kind = excluded.kind, at = excluded.at, claim_token = null`;

/** Reads what is not told yet: of each destination that is in the news one row for each address. */
const LIST_DUE = `-- name: list mail addresses that a digest is due to
  select a.id as "addressId", a.address, a.account_id as "accountId", c.name as "accountName",
    a.sealed_stop as "sealedStop"
  from (select address_id, min(at) as oldest_at from failure_news where at > $1 group by address_id) n
  join mail_addresses a on a.id = n.address_id
  join accounts c on c.id = a.account_id
  where n.oldest_at <= $2 and a.quiet_until <= $3 and a.confirmed_at is not null and a.stopped_at is null
    and a.removed_at is null
  order by a.quiet_until, a.id
  limit $4
  for update of a skip locked`;

const CLAIM_ADDRESS = `-- name: claim digest of mail address
  update mail_addresses
  set digest_token = $1, quiet_until = $2
  where id = $3`;

/** Rows that a settlement is writing at this moment are newer news, for the next digest. */
const CLAIM_NEWS = `-- name: claim news of mail address
  with unlocked as materialized (
    select destination_id
    from failure_news
    where address_id = $2
    for update skip locked
  )
  update failure_news
  set claim_token = $1
  where address_id = $2 and destination_id in (select destination_id from unlocked)`;

const LINE = `d.id as "destinationId", d.url, d.owner_kind as "ownerKind", d.owner_id as "ownerId",
    coalesce(l.name, c.name) as "ownerName", d.off_reason as "offReason", d.failing_since_at as "failingSinceMs",
    d.last_failure_at as "lastFailureAtMs", d.last_failure_outcome as "lastFailureOutcome",
    d.last_failure_status as "lastFailureStatus"`;

const OWNERS = `left join alerts l on d.owner_kind = 'alert' and l.account_id = d.account_id and l.id = d.owner_id
  left join chat_assistants c on d.owner_kind = 'assistant' and c.account_id = d.account_id and c.id = d.owner_id`;

/** Without destinations that were deleted meanwhile: a person did that. */
const LIST_NEWS = `-- name: list news of mail address
  select n.kind, n.at as "atMs", n.total, ${LINE}
  from (
    select f.kind, f.at, f.destination_id, count(*) over (partition by f.kind) as total,
      row_number() over (partition by f.kind order by f.at, f.destination_id) as place
    from failure_news f
    join destinations t on t.id = f.destination_id and t.deleted_at is null
    where f.address_id = $1 and f.at > $2
  ) n
  join destinations d on d.id = n.destination_id
  ${OWNERS}
  where n.place <= $3
  order by n.kind, n.at, n.destination_id`;

const LIST_STILL_FAILING = `-- name: list destinations that still fail
  select 'still_failing' as kind, coalesce(d.failing_since_at, d.told_at) as "atMs", count(*) over () as total, ${LINE}
  from destinations d
  ${OWNERS}
  where d.account_id = $1 and d.is_told and d.state = 'on' and d.deleted_at is null and not exists (
    select 1 from failure_news n where n.address_id = $2 and n.destination_id = d.id and n.at > $3
  )
  order by 2, d.id
  limit $4`;

const SETTLE_ADDRESS = `-- name: settle digest of mail address if claimed
  update mail_addresses
  set digest_token = null
  where id = $1 and digest_token = $2`;

const PUT_OFF_DIGEST = `-- name: put digest of mail address off if claimed
  update mail_addresses
  set digest_token = null, quiet_until = $1
  where id = $2 and digest_token = $3`;

const DELETE_NEWS = `-- name: delete news that was told
  with told as materialized (
    select destination_id
    from failure_news
    where address_id = $1 and claim_token = $2
    for update skip locked
  )
  delete from failure_news
  where address_id = $1 and destination_id in (select destination_id from told)`;
