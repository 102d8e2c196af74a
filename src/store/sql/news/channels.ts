/** Channels for news about failures: which an account has, what each answered, and their digests. */
import { LIMITS } from "../../../domain/limits.ts";
import { type ChannelAnswer, type ChannelKind, REMIND_MS } from "../../../domain/news-channel.ts";
import type {
  AddChannel,
  ClaimedChannelDigest,
  DecideChannel,
  NoteChannelTest,
  SettleChannelDigest,
  StoredChannel,
} from "../../contract/channels.ts";
import type { ClaimDigests } from "../../contract/mail.ts";
import { writeAudit } from "../audit.ts";
import { findConfigVersion } from "../set-up/config-version.ts";
import { createDigests, dropNews } from "./news-digests.ts";
import type { Flag, SqlTransaction } from "../transaction.ts";

/** A channel that comes in during an outage is reminded of it within a day, and is told of its end in any case. */
export async function addChannel(
  tx: SqlTransaction,
  { accountId, channel, by, nowMs }: AddChannel,
): Promise<"added" | "known" | "full" | "account_missing"> {
  await tx.hold(`channels of ${accountId}`);
  if ((await findConfigVersion(tx, accountId)) === null) return "account_missing";
  const { id, kind, name, origin, sealedUrl } = channel;
  const listed = await tx.db.all<ChannelRow>(LIST_CHANNELS, accountId);
  if (listed.some((row) => row.name === name)) return "known";
  if (listed.length >= LIMITS.newsChannelsMax) return "full";
  await tx.db.run(INSERT_CHANNEL, accountId, id, kind, name, origin, sealedUrl, nowMs, nowMs + REMIND_MS);
  await writeAudit(tx, { accountId, nowMs, by, action: "news_channel_added", subject: `${name} (${origin})` });
  return "added";
}

export async function removeChannel(tx: SqlTransaction, params: DecideChannel): Promise<"removed" | "missing"> {
  const { accountId, channelId, by, nowMs } = params;
  const found = await tx.db.get<NamedRow>(FIND_CHANNEL, accountId, channelId);
  if (found === undefined) return "missing";
  await tx.db.run(DELETE_CHANNEL, channelId);
  await dropNews(tx, channelId);
  await writeAudit(tx, { accountId, nowMs, by, action: "news_channel_removed", subject: found.name });
  return "removed";
}

export async function loadChannels(
  tx: SqlTransaction,
  { accountId }: { readonly accountId: string },
): Promise<StoredChannel[]> {
  return (await tx.db.all<ChannelRow>(LIST_CHANNELS, accountId)).map(toStoredChannel);
}

export async function noteChannelTest(tx: SqlTransaction, params: NoteChannelTest): Promise<"noted" | "missing"> {
  const { accountId, channelId, by, nowMs, answer } = params;
  const found = await tx.db.get<NamedRow>(FIND_CHANNEL, accountId, channelId);
  if (found === undefined) return "missing";
  if (answer !== null) await noteAnswer(tx, channelId, { ...answer, isTest: true });
  if (answer?.isTaken === true) await tx.db.run(END_QUIET, nowMs, channelId);
  await writeAudit(tx, { accountId, nowMs, by, action: "news_channel_tested", subject: found.name });
  return "noted";
}

const digests = createDigests<Pick<ClaimedChannelDigest, "kind" | "sealedUrl" | "refusals">>({
  table: "news_channels",
  columns: `r.kind, r.sealed_url as "sealedUrl", r.refusals`,
  wanting: "true",
  gapMs: LIMITS.channelGapMs,
});

export async function claimChannelDigests(tx: SqlTransaction, params: ClaimDigests): Promise<ClaimedChannelDigest[]> {
  const claimed = await digests.claim(tx, params);
  return claimed.map((row) => {
    const { readerId: channelId, certificatesToldMs: _, ...digest } = row;
    return { channelId, ...digest };
  });
}

export async function settleChannelDigestIfClaimed(tx: SqlTransaction, settle: SettleChannelDigest): Promise<void> {
  const { channelId: readerId, claimToken, nowMs, answer, retryAtMs } = settle;
  const toldAtMs = answer?.isTaken === true ? nowMs : null;
  const isSettled = await digests.settleIfClaimed(tx, { readerId, claimToken, retryAtMs, toldAtMs });
  if (isSettled && answer !== null) await noteAnswer(tx, readerId, { ...answer, isTest: false });
}

interface NotedAnswer extends ChannelAnswer {
  /** A refused test does not put off what waits. */
  readonly isTest: boolean;
}

async function noteAnswer(tx: SqlTransaction, channelId: string, answer: NotedAnswer): Promise<void> {
  const { atMs, outcome, status, isTaken, isTest } = answer;
  if (isTaken) await tx.db.run(NOTE_TAKEN, atMs, outcome, status, channelId);
  else await tx.db.run(NOTE_REFUSED, atMs, outcome, status, isTest ? 0 : 1, channelId);
}

interface NamedRow {
  readonly name: string;
}

interface ChannelRow extends NamedRow {
  readonly id: string;
  readonly kind: ChannelKind;
  readonly origin: string;
  readonly sealedUrl: string;
  readonly addedAtMs: number;
  readonly answeredAtMs: number | null;
  readonly outcome: string | null;
  readonly status: number | null;
  readonly isTaken: Flag;
  readonly refusedSinceMs: number | null;
}

function toStoredChannel({ answeredAtMs: atMs, outcome, status, isTaken, ...channel }: ChannelRow): StoredChannel {
  const answer = atMs === null || outcome === null ? null : { atMs, outcome, status, isTaken: Boolean(isTaken) };
  return { ...channel, answer };
}

const FIND_CHANNEL = `-- name: find channel
  select name
  from news_channels
  where account_id = $1 and id = $2 and bucket = any ($buckets)`;

const LIST_CHANNELS = `-- name: list channels of account
  select id, kind, name, origin, sealed_url as "sealedUrl", added_at as "addedAtMs", answered_at as "answeredAtMs",
    answer_outcome as outcome, answer_status as status, is_taken as "isTaken", refused_since as "refusedSinceMs"
  from news_channels
  where account_id = $1 and bucket = any ($buckets)
  order by added_at, id`;

const INSERT_CHANNEL = `-- name: insert channel
  insert into news_channels (bucket, account_id, id, kind, name, origin, sealed_url, added_at, remind_at)
  values ($bucket, $1, $2, $3, $4, $5, $6, $7, $8)`;

const DELETE_CHANNEL = `-- name: delete channel
  delete from news_channels
  where id = $1 and bucket = any ($buckets)`;

const NOTE_TAKEN = `-- name: note that channel took a message
  update news_channels
  set answered_at = $1, answer_outcome = $2, answer_status = $3, is_taken = true, refused_since = null, refusals = 0
  where id = $4 and bucket = any ($buckets)`;

const NOTE_REFUSED = `-- name: note that channel took no message
  update news_channels
  set answered_at = $1, answer_outcome = $2, answer_status = $3, is_taken = false,
    refused_since = coalesce(refused_since, $1), refusals = refusals + $4
  where id = $5 and bucket = any ($buckets)`;

/** Unless a node is sending to it right now. */
const END_QUIET = `-- name: end quiet time of channel
  update news_channels
  set quiet_until = $1
  where id = $2 and bucket = any ($buckets) and digest_token is null and quiet_until > $1`;
