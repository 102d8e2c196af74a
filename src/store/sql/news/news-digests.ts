/**
 * News for readers, which are confirmed addresses and channels: written in the transaction that changes the
 * destination, the latest of each destination, and taken together, by one node, once in a while. Addresses and
 * channels differ in their table alone; `address_id` is either's id.
 *
 *     written ──► claimed ──► sent (the row goes)
 *        ▲           ├──► its time runs out ──► claimed again
 *        └───────────┴──► newer news: the claim is off
 *
 * Besides its news a reader has an instant at which it is reminded of what still fails. A claim sets it where it
 * finds a failure, and only a message that was sent moves it on, so a node that dies in between forgets no reminder.
 * The same holds for certificates: a reader has the instant up to which it was told of their ends.
 */
import { CERTIFICATE_NEWS_AFTER_MS, CERTIFICATE_WARNING_MS } from "../../../domain/certificate-news.ts";
import { DIGEST_GATHER_MS, NEWS_MS_MAX } from "../../../domain/mail-address.ts";
import { REMIND_MS } from "../../../domain/news-channel.ts";
import type { NewsKind } from "../../../domain/outage-news.ts";
import type { ClaimDigests, News } from "../../contract/mail.ts";
import { lastTold } from "./certificates.ts";
import { type LineRow, toDigestLines } from "./mail-rows.ts";
import type { SqlTransaction } from "../transaction.ts";

export interface WriteNews {
  readonly accountId: string;
  readonly destinationId: string;
  readonly kind: NewsKind;
  readonly nowMs: number;
}

/** False, and nothing is written, for an account without a reader. */
export async function writeNews(
  tx: SqlTransaction,
  { accountId, destinationId, kind, nowMs }: WriteNews,
): Promise<boolean> {
  return (await tx.db.run(WRITE_NEWS, destinationId, kind, nowMs, accountId)) > 0;
}

/** For a reader that gets none any more. */
export async function dropNews(tx: SqlTransaction, readerId: string): Promise<void> {
  await tx.db.run(DROP_NEWS, readerId);
}

/** Instants between which a certificate ends that there may be news about. */
export const ending = (nowMs: number) => [nowMs - CERTIFICATE_NEWS_AFTER_MS, nowMs + CERTIFICATE_WARNING_MS] as const;

function isEnding(from: string, to: string): string {
  return `d.certificate_ends_at > ${from} and d.certificate_ends_at <= ${to} and d.authentication is not null`;
}

interface EndingPlaces {
  readonly now: string;
  /** The placeholders of `ending`. */
  readonly from: string;
  readonly to: string;
}

/** Readers `t` of the table that were not told yet of an end of a certificate. */
export const fromUntold = (table: string, { now, from, to }: EndingPlaces): string => `from destinations d
    join ${table} t on t.account_id = d.account_id and t.bucket = d.bucket
    where d.deleted_at is null and d.bucket = any ($buckets) and ${isEnding(from, to)}
      and ${lastTold("d.certificate_ends_at", now)} > t.certificates_told_at and t.bucket = any ($buckets)`;

/** Where readers stand, and which of them may have news. */
export interface Readers {
  readonly table: "mail_addresses" | "news_channels";
  /** More columns of `r` that the claim returns. */
  readonly columns: string;
  /** A condition on `r`. */
  readonly wanting: string;
  readonly gapMs: number;
}

interface ReaderRow {
  readonly readerId: string;
  readonly accountId: string;
  readonly accountName: string;
  readonly remindAtMs: number | null;
  readonly certificatesToldMs: number;
}

export interface SettleReader {
  readonly readerId: string;
  readonly claimToken: string;
  readonly retryAtMs: number | null;
  readonly toldAtMs: number | null;
}

/** The two verbs of one table of readers. */
export function createDigests<Row extends object>({ gapMs, ...readers }: Readers) {
  const statements = toStatements(readers);

  async function claim(tx: SqlTransaction, params: ClaimDigests): Promise<(ReaderRow & News & Row)[]> {
    const { nowMs, claimToken, digestsMax } = params;
    const since = [nowMs - NEWS_MS_MAX, nowMs - DIGEST_GATHER_MS] as const;
    const due = await tx.db.all<ReaderRow & Row>(statements.listDue, ...since, nowMs, digestsMax, ...ending(nowMs));
    const digests = [];
    for (const row of due) {
      await tx.db.run(CLAIM_NEWS, claimToken, row.readerId);
      const news = await loadNews(tx, row, params);
      const isFailing = news.counts.failing + news.counts.still_failing > 0;
      const nextReminderMs = isFailing ? (row.remindAtMs ?? nowMs + REMIND_MS) : null;
      await tx.db.run(statements.claimReader, claimToken, nowMs + gapMs, nextReminderMs, nowMs, row.readerId);
      const isReminder = row.remindAtMs !== null && row.remindAtMs <= nowMs;
      digests.push({ ...row, ...news, remindAtMs: isReminder ? row.remindAtMs : null });
    }
    return digests;
  }

  /** False for a claim that was lost. */
  async function settleIfClaimed(tx: SqlTransaction, settle: SettleReader): Promise<boolean> {
    const { readerId, claimToken, retryAtMs, toldAtMs } = settle;
    if (retryAtMs !== null) return (await tx.db.run(statements.putOff, retryAtMs, readerId, claimToken)) === 1;
    const remindAtMs = toldAtMs === null ? null : toldAtMs + REMIND_MS;
    if ((await tx.db.run(statements.settleReader, remindAtMs, readerId, claimToken)) === 0) return false;
    await tx.db.run(DELETE_NEWS, readerId, claimToken);
    return true;
  }

  return { claim, settleIfClaimed };
}

function toStatements({ table, columns, wanting }: Omit<Readers, "gapMs">) {
  return {
    listDue: `-- name: list ${table} that a digest is due to
  select r.id as "readerId", r.account_id as "accountId", c.name as "accountName", r.remind_at as "remindAtMs",
    r.certificates_told_at as "certificatesToldMs", ${columns}
  from (
    select address_id as id
    from failure_news
    where at > $1 and bucket = any ($buckets)
    group by address_id
    having min(at) <= $2
    union
    select id
    from ${table}
    where remind_at <= $3 and bucket = any ($buckets)
    union
    select t.id
    ${fromUntold(table, { now: "$3", from: "$5", to: "$6" })}
  ) due
  join ${table} r on r.id = due.id
  join accounts c on c.id = r.account_id and c.bucket = r.bucket
  where r.quiet_until <= $3 and r.bucket = any ($buckets) and ${wanting}
  order by r.quiet_until, r.id
  limit $4
  for update of r skip locked`,

    claimReader: `-- name: claim digest of ${table}
  update ${table}
  set digest_token = $1, quiet_until = $2, remind_at = $3, certificates_claimed_at = $4
  where id = $5 and bucket = any ($buckets)`,

    settleReader: `-- name: settle digest of ${table} if claimed
  update ${table}
  set digest_token = null, remind_at = coalesce($1, remind_at),
    certificates_told_at = case when $1 is null then certificates_told_at else certificates_claimed_at end
  where id = $2 and digest_token = $3 and bucket = any ($buckets)`,

    putOff: `-- name: put digest of ${table} off if claimed
  update ${table}
  set digest_token = null, quiet_until = $1
  where id = $2 and digest_token = $3 and bucket = any ($buckets)`,
  };
}

async function loadNews(
  tx: SqlTransaction,
  { readerId, accountId, certificatesToldMs }: ReaderRow,
  { nowMs, linesMax }: ClaimDigests,
): Promise<Pick<News, "lines" | "counts">> {
  const newsAfterMs = nowMs - NEWS_MS_MAX;
  return toDigestLines([
    ...(await tx.db.all<LineRow>(LIST_NEWS, readerId, newsAfterMs, linesMax)),
    ...(await tx.db.all<LineRow>(LIST_STILL_FAILING, accountId, readerId, newsAfterMs, linesMax)),
    ...(await tx.db.all<LineRow>(LIST_ENDING, accountId, certificatesToldMs, nowMs, linesMax, ...ending(nowMs))),
  ]);
}

/** One statement for both tables, because settlements pay for it. */
const WRITE_NEWS = `-- name: write news for readers
  insert into failure_news (bucket, address_id, destination_id, kind, at)
  select r.bucket, r.id, $1, $2, $3
  from (
    select bucket, id
    from mail_addresses
    where account_id = $4 and confirmed_at is not null and stopped_at is null and removed_at is null
      and bucket = any ($buckets)
    union all
    select bucket, id
    from news_channels
    where account_id = $4 and bucket = any ($buckets)
  ) r
  where true
  on conflict (address_id, destination_id, bucket) do update
  set kind = excluded.kind, at = excluded.at, claim_token = null`;

/** Settlements that are under way hold rows in another order: theirs stay, are not sent, and go with age. */
const DROP_NEWS = `-- name: drop news for reader
  with unlocked as materialized (
    select destination_id
    from failure_news
    where address_id = $1 and bucket = any ($buckets)
    for update skip locked
  )
  delete from failure_news
  where address_id = $1 and bucket = any ($buckets) and destination_id in (select destination_id from unlocked)`;

/** Rows that a settlement is writing at this moment are newer news, for the next digest. */
const CLAIM_NEWS = `-- name: claim news of reader
  with unlocked as materialized (
    select destination_id
    from failure_news
    where address_id = $2 and bucket = any ($buckets)
    for update skip locked
  )
  update failure_news
  set claim_token = $1
  where address_id = $2 and bucket = any ($buckets) and destination_id in (select destination_id from unlocked)`;

const LINE = `d.id as "destinationId", d.url, d.owner_kind as "ownerKind", d.owner_id as "ownerId",
    coalesce(l.name, c.name) as "ownerName", d.off_reason as "offReason", d.failing_since_at as "failingSinceMs",
    d.last_failure_at as "lastFailureAtMs", d.last_failure_outcome as "lastFailureOutcome",
    d.last_failure_status as "lastFailureStatus", d.certificate_ends_at as "certificateEndsAtMs", (
      select i.id
      from incidents i
      where i.account_id = d.account_id and i.destination_id = d.id and i.bucket = any ($buckets)
      order by i.id desc
      limit 1
    ) as "incidentId"`;

const OWNERS = `left join alerts l on d.owner_kind = 'alert' and l.account_id = d.account_id and l.id = d.owner_id
    and l.bucket = d.bucket
  left join chat_assistants c on d.owner_kind = 'assistant' and c.account_id = d.account_id and c.id = d.owner_id
    and c.bucket = d.bucket`;

/** Without destinations that were deleted meanwhile: a person did that. */
const LIST_NEWS = `-- name: list news of reader
  select n.kind, n.at as "atMs", n.total, ${LINE}
  from (
    select f.kind, f.at, f.destination_id, count(*) over (partition by f.kind) as total,
      row_number() over (partition by f.kind order by f.at, f.destination_id) as place
    from failure_news f
    join destinations t on t.id = f.destination_id and t.bucket = f.bucket and t.deleted_at is null
    where f.address_id = $1 and f.at > $2 and f.bucket = any ($buckets)
  ) n
  join destinations d on d.id = n.destination_id
  ${OWNERS}
  where n.place <= $3 and d.bucket = any ($buckets)
  order by n.kind, n.at, n.destination_id`;

const LIST_STILL_FAILING = `-- name: list destinations that still fail
  select 'still_failing' as kind, coalesce(d.failing_since_at, d.told_at) as "atMs", count(*) over () as total, ${LINE}
  from destinations d
  ${OWNERS}
  where d.account_id = $1 and d.bucket = any ($buckets) and d.is_told and d.state = 'on' and d.deleted_at is null
    and not exists (
      select 1
      from failure_news n
      where n.address_id = $2 and n.destination_id = d.id and n.bucket = any ($buckets) and n.at > $3
    )
  order by 2, d.id
  limit $4`;

/** The latest of each destination that this reader was not told of, the next to end first. */
const LIST_ENDING = `-- name: list certificates that end
  select 'certificate_ends' as kind, ${lastTold("d.certificate_ends_at", "$3")} as "atMs", count(*) over () as total,
    ${LINE}
  from destinations d
  ${OWNERS}
  where d.account_id = $1 and d.deleted_at is null and d.bucket = any ($buckets) and ${isEnding("$5", "$6")}
    and ${lastTold("d.certificate_ends_at", "$3")} > $2
  order by d.certificate_ends_at, d.id
  limit $4`;

const DELETE_NEWS = `-- name: delete news that was told
  with told as materialized (
    select destination_id
    from failure_news
    where address_id = $1 and claim_token = $2 and bucket = any ($buckets)
    for update skip locked
  )
  delete from failure_news
  where address_id = $1 and bucket = any ($buckets) and destination_id in (select destination_id from told)`;
