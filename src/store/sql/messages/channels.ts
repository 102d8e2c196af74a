/** Channels that are notified of failures: which an account has, and what each answered. */
import { LIMITS } from "../../../domain/limits.ts";
import type { ChannelAnswer, ChannelKind } from "../../../domain/channel.ts";
import type { AddChannel, NoteChannelTest, RemoveRecipient, StoredChannel } from "../../contract/recipients.ts";
import { writeAudit } from "../audit.ts";
import { findConfigVersion } from "../config-version.ts";
import type { Dialect } from "../dialect.ts";
import type { Flag, SqlTransaction } from "../transaction.ts";
import { dropMessages, endHold, startNotifying } from "./put-messages.ts";

/** Those that the nodes of 1.0.0 know. */
const OLDER_KINDS: ReadonlySet<ChannelKind> = new Set(["slack", "webhook"]);

/** A channel that comes in during an outage is reminded of it within a day, and is notified of its end in any case. */
export async function addChannel<Tx extends SqlTransaction>(
  tx: Tx,
  { accountId, channel, by, nowMs }: AddChannel,
  { mayWrite }: Pick<Dialect<Tx>, "mayWrite">,
): Promise<"added" | "known" | "full" | "account_missing" | "older_nodes"> {
  await tx.hold(`channels of ${accountId}`);
  if ((await findConfigVersion(tx, accountId)) === null) return "account_missing";
  if (!OLDER_KINDS.has(channel.kind) && !(await mayWrite(tx, "body"))) return "older_nodes";
  const { id, kind, name, origin, sealedUrl } = channel;
  const listed = await tx.db.all<ChannelRow>(LIST_CHANNELS, accountId);
  if (listed.some((row) => row.name === name)) return "known";
  if (listed.length >= LIMITS.newsChannelsMax) return "full";
  await tx.db.run(INSERT_CHANNEL, accountId, id, kind, name, origin, sealedUrl, nowMs);
  await startNotifying(tx, { accountId, route: "channel", recipient: id }, nowMs);
  await writeAudit(tx, { accountId, nowMs, by, action: "news_channel_added", subject: `${name} (${origin})` });
  return "added";
}

/** False: the account has no such channel. */
export async function removeChannel(tx: SqlTransaction, params: RemoveRecipient): Promise<boolean> {
  const { accountId, recipientId: channelId, by, nowMs } = params;
  const found = await tx.db.get<NamedRow>(FIND_CHANNEL, accountId, channelId);
  if (found === undefined) return false;
  await dropMessages(tx, channelId);
  await tx.db.run(DELETE_CHANNEL, channelId);
  await writeAudit(tx, { accountId, nowMs, by, action: "news_channel_removed", subject: found.name });
  return true;
}

export async function listChannels(tx: SqlTransaction, accountId: string): Promise<StoredChannel[]> {
  return (await tx.db.all<ChannelRow>(LIST_CHANNELS, accountId)).map(toStoredChannel);
}

export async function noteChannelTest(tx: SqlTransaction, params: NoteChannelTest): Promise<"noted" | "missing"> {
  const { accountId, channelId, by, nowMs, answer } = params;
  const found = await tx.db.get<NamedRow>(FIND_CHANNEL, accountId, channelId);
  if (found === undefined) return "missing";
  if (answer?.isTaken === true) await endHold(tx, channelId);
  if (answer !== null) await noteAnswer(tx, channelId, answer);
  await writeAudit(tx, { accountId, nowMs, by, action: "news_channel_tested", subject: found.name });
  return "noted";
}

export async function noteAnswer(tx: SqlTransaction, channelId: string, answer: ChannelAnswer): Promise<void> {
  const { atMs, outcome, status, isTaken } = answer;
  await tx.db.run(isTaken ? NOTE_TAKEN : NOTE_REFUSED, atMs, outcome, status, channelId);
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
  from channels
  where account_id = $1 and id = $2`;

const LIST_CHANNELS = `-- name: list channels of account
  select id, kind, name, origin, sealed_url as "sealedUrl", added_at as "addedAtMs", answered_at as "answeredAtMs",
    answer_outcome as outcome, answer_status as status, is_taken as "isTaken", refused_since as "refusedSinceMs"
  from channels
  where account_id = $1
  order by added_at, id`;

const INSERT_CHANNEL = `-- name: insert channel
  insert into channels (account_id, id, kind, name, origin, sealed_url, added_at)
  values ($1, $2, $3, $4, $5, $6, $7)`;

const DELETE_CHANNEL = `-- name: delete channel
  delete from channels
  where id = $1`;

const NOTE_TAKEN = `-- name: note that channel took a message
  update channels
  set answered_at = $1, answer_outcome = $2, answer_status = $3, is_taken = true, refused_since = null
  where id = $4`;

const NOTE_REFUSED = `-- name: note that channel took no message
  update channels
  set answered_at = $1, answer_outcome = $2, answer_status = $3, is_taken = false,
    refused_since = coalesce(refused_since, $1)
  where id = $4`;
