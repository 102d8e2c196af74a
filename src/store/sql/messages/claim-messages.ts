/**
 * Messages on their way out: claimed by one node, sent by it, settled. Claims of one route follow one another, so that
 * a recipient never has two messages in flight. `held_until` keeps the others of the recipient back meanwhile.
 *
 * What a notification says is read from the destinations when it is claimed; `domain/notification.ts` composes it.
 */
import { HOLD_MS, REMIND_MS } from "../../../domain/message.ts";
import { composeNotification, type DestinationView, type DueMessage } from "../../../domain/notification.ts";
import type { ChannelKind } from "../../../domain/channel.ts";
import type { OwnerKind } from "../../../domain/event.ts";
import type {
  ClaimedChannelMessage,
  ClaimedConfirmation,
  ClaimedEmail,
  ClaimedMessage,
  ClaimMessages,
  ConfirmationLink,
  SettleMessage,
} from "../../contract/messages.ts";
import { OWNER_NAME, OWNERS } from "../owner-names.ts";
import type { Flag, SqlTransaction } from "../transaction.ts";
import { noteAnswer } from "./channels.ts";
import { dropMessages, lockMessages, type MessageKind, type MessageRow, releaseRecipient } from "./put-messages.ts";

interface DueRecipient {
  readonly accountId: string;
  readonly recipient: string;
}

/**
 * Messages, and lines of notifications, that a claim reads before it leaves further recipients to the next one. Guess:
 * 5,000 took 0.1 s of SQLite's thread.
 */
const READ_MAX = 1_000;

export async function claimMessages(tx: SqlTransaction, params: ClaimMessages): Promise<ClaimedMessage[]> {
  const { route, nowMs, messagesMax } = params;
  const listDue = async () => await tx.db.all<DueRecipient>(LIST_DUE, route, nowMs, messagesMax);
  if ((await listDue()).length === 0) return [];
  await tx.hold(`messages by ${route}`);
  await dropExpired(tx, params);
  const claimed: ClaimedMessage[] = [];
  let left = READ_MAX;
  for (const due of await listDue()) {
    if (left <= 0) break;
    const { message, messages } = await claim(tx, due, params);
    left -= messages + countLines(message);
    if (message !== null) claimed.push(message);
  }
  return claimed;
}

function countLines(message: ClaimedMessage | null): number {
  if (message === null || !("notification" in message)) return 0;
  return Object.values(message.notification.counts).reduce((sum, count) => sum + count, 0);
}

/** Looked at in one claim. */
const EXPIRED_MAX = 1_000;

async function dropExpired(tx: SqlTransaction, { route, nowMs }: ClaimMessages): Promise<void> {
  const expired = await tx.db.all<ExpiredRow>(DROP_EXPIRED, route, nowMs, EXPIRED_MAX);
  for (const { kind, recipient, atMs } of expired) {
    if (kind === "confirmation") await tx.db.run(NOTE_ASKED, "dropped", recipient, atMs);
  }
}

interface ExpiredRow {
  readonly kind: MessageKind;
  readonly recipient: string;
  readonly atMs: number;
}

interface Claimed {
  /** `null` when there is nothing to tell. */
  readonly message: ClaimedMessage | null;
  /** How many of the recipient were read. */
  readonly messages: number;
}

async function claim(
  tx: SqlTransaction,
  { accountId, recipient }: DueRecipient,
  params: ClaimMessages,
): Promise<Claimed> {
  const { route, nowMs, claimToken } = params;
  const known = (await lockMessages(tx, recipient)).filter(({ atMs }) => atMs <= nowMs);
  const due = route === "operator" ? known.slice(0, 1) : known;
  const refusals = Math.max(0, ...due.map((row) => row.refusals));
  const message = await write(tx, { due, accountId, recipient, refusals }, params);
  if (message === "gone") {
    await dropMessages(tx, recipient);
    return { message: null, messages: due.length };
  }
  const holdMs = HOLD_MS[message?.kind === "confirmation" ? "confirmation" : route];
  const last = due.at(-1) ?? { atMs: 0, seq: 0 };
  await tx.db.run(CLAIM, message === null ? 0 : nowMs + holdMs, last.atMs, last.seq, claimToken, recipient);
  if (message === null) {
    await tx.db.run(DELETE_CLAIMED, recipient, claimToken);
    if (due.some(({ kind }) => kind === "reminder")) await tx.db.run(REMIND, nowMs + REMIND_MS, recipient);
  }
  return { message, messages: due.length };
}

interface Due extends DueRecipient {
  readonly due: readonly MessageRow[];
  readonly refusals: number;
}

/** `gone`: there is no such recipient any more. */
function write(
  tx: SqlTransaction,
  of: Due,
  params: ClaimMessages,
): ClaimedMessage | null | Promise<ClaimedMessage | null | "gone"> {
  switch (params.route) {
    case "email":
      return writeEmail(tx, of, params);
    case "channel":
      return writeToChannel(tx, of, params);
    case "operator":
      return writeAlert(of);
  }
}

async function writeEmail(
  tx: SqlTransaction,
  { due, ...to }: Due,
  params: ClaimMessages,
): Promise<ClaimedConfirmation | ClaimedEmail | null | "gone"> {
  const found = await tx.db.get<AddressRow>(FIND_ADDRESS, to.recipient);
  if (found === undefined) return "gone";
  const { confirmedAtMs, ...address } = found;
  if (confirmedAtMs === null) {
    const asked = due.findLast(({ kind }) => kind === "confirmation");
    if (asked === undefined) return null;
    return { kind: "confirmation", ...to, ...address, ...(JSON.parse(asked.body) as ConfirmationLink) };
  }
  const notification = await loadNotification(tx, { due, ...to }, params);
  return notification === null ? null : { kind: "email", ...to, ...address, notification };
}

async function writeToChannel(
  tx: SqlTransaction,
  { due, ...to }: Due,
  params: ClaimMessages,
): Promise<ClaimedChannelMessage | null | "gone"> {
  const channel = await tx.db.get<ChannelRow>(FIND_CHANNEL, to.recipient);
  if (channel === undefined) return "gone";
  const notification = await loadNotification(tx, { due, ...to }, params);
  return notification === null ? null : { kind: "channel", ...to, ...channel, notification };
}

function writeAlert({ due: [alert], ...to }: Due): ClaimedMessage | null {
  if (alert === undefined) return null;
  const { seq, subject, atMs, body } = alert;
  return { kind: "operator_alert", ...to, seq, subject, atMs, body };
}

async function loadNotification(tx: SqlTransaction, { due, accountId, recipient }: Due, params: ClaimMessages) {
  const views = await tx.db.all<ViewRow>(LIST_NOTIFIED, accountId, recipient, params.nowMs);
  return composeNotification(due.flatMap(toDue), views.map(toView), params.linesMax);
}

function toDue({ kind, subject: destinationId, atMs }: MessageRow): DueMessage[] {
  return kind === "confirmation" || kind === "operator_alert" ? [] : [{ kind, destinationId, atMs }];
}

function toView(row: ViewRow): DestinationView {
  const { ownerKind, ownerId, ownerName, isNotified, failedAtMs, failedOutcome, failedStatus, ...view } = row;
  const isKnown = failedAtMs !== null && failedOutcome !== null;
  return {
    ...view,
    owner: { kind: ownerKind, id: ownerId, name: ownerName ?? ownerId },
    isNotified: Boolean(isNotified),
    lastFailure: isKnown ? { atMs: failedAtMs, outcome: failedOutcome, status: failedStatus } : null,
  };
}

export async function settleMessageIfClaimed(tx: SqlTransaction, params: SettleMessage): Promise<void> {
  const { recipient, claimToken, nowMs, end, answer = null } = params;
  const known = await lockMessages(tx, recipient);
  const mine = known.filter((row) => row.claimToken === claimToken);
  if (mine.length === 0) return;
  if ("retryAtMs" in end) {
    await tx.db.run(PUT_OFF, end.retryAtMs, end.kind === "refused" ? 1 : 0, recipient);
  } else {
    const confirmations = mine.filter(({ kind }) => kind === "confirmation");
    for (const { atMs } of confirmations) await tx.db.run(NOTE_ASKED, end.kind, recipient, atMs);
    await tx.db.run(DELETE_CLAIMED, recipient, claimToken);
    // A recipient of notifications is still held: the time until the next one counts from the claim.
    if (known.some(({ kind }) => kind === "reminder")) await tx.db.run(REMIND, nowMs + REMIND_MS, recipient);
    else await releaseRecipient(tx, recipient);
  }
  if (answer !== null) await noteAnswer(tx, recipient, answer);
}

interface AddressRow {
  readonly address: string;
  readonly accountName: string;
  readonly sealedStop: string;
  readonly confirmedAtMs: number | null;
}

interface ChannelRow {
  readonly channelKind: ChannelKind;
  readonly accountName: string;
  readonly sealedUrl: string;
}

interface ViewRow extends Omit<DestinationView, "owner" | "lastFailure" | "isNotified"> {
  readonly ownerKind: OwnerKind;
  readonly ownerId: string;
  readonly ownerName: string | null;
  readonly isNotified: Flag;
  readonly failedAtMs: number | null;
  readonly failedOutcome: string | null;
  readonly failedStatus: number | null;
}

/**
 * Each recipient is looked at once, however many of its messages are due. Owners of an account that is suspended hear
 * nothing until it goes on. Exported for the test that reads its plan.
 */
export const LIST_DUE = `-- name: list recipients with a message that is due
  with due as materialized (
    select m.recipient, m.account_id, max(m.held_until) as held_until, min(m.seq) as seq
    from messages m
    where m.route = $1 and m.due_at <= $2
    group by m.recipient, m.account_id
  )
  select due.recipient, due.account_id as "accountId"
  from due
  where not exists (
      select 1
      from messages h
      where h.recipient = due.recipient and h.held_until > $2
    ) and ($1 = 'operator' or not exists (
      select 1
      from account_states s
      where s.account_id = due.account_id and s.state = 'suspended'
    ))
  order by due.held_until, due.seq
  limit $3`;

const DROP_EXPIRED = `-- name: drop messages that have expired
  with expired as materialized (
    select seq
    from messages
    where route = $1 and expires_at <= $2 and held_until <= $2
    limit $3
    for update skip locked
  )
  delete from messages
  where seq in (select seq from expired)
  returning kind, recipient, at as "atMs"`;

/** The reminder that is not due yet is held with the others, and belongs to no claim. */
const CLAIM = `-- name: claim messages of recipient
  update messages
  set held_until = $1, claim_token = case when (at, seq) <= ($2, $3) then $4 end
  where recipient = $5`;

const FIND_ADDRESS = `-- name: find address of message
  select a.address, c.name as "accountName", a.sealed_stop as "sealedStop", a.confirmed_at as "confirmedAtMs"
  from mail_addresses a
  join accounts c on c.id = a.account_id
  where a.id = $1 and a.stopped_at is null and a.removed_at is null`;

const FIND_CHANNEL = `-- name: find channel of message
  select r.kind as "channelKind", c.name as "accountName", r.sealed_url as "sealedUrl"
  from channels r
  join accounts c on c.id = r.account_id
  where r.id = $1`;

/** Those that the messages are about, and those of whose failure somebody was notified. */
const LIST_NOTIFIED = `-- name: list destinations of notification
  select d.id, d.url, d.owner_kind as "ownerKind", d.owner_id as "ownerId", ${OWNER_NAME} as "ownerName",
    d.state, d.off_reason as "offReason", d.failing_since_at as "failingSinceMs", d.last_failure_at as "failedAtMs",
    d.last_failure_outcome as "failedOutcome", d.last_failure_status as "failedStatus", d.is_notified as "isNotified",
    d.notified_at as "notifiedAtMs", d.certificate_ends_at as "certificateEndsAtMs", (
      select i.id
      from incidents i
      where i.account_id = d.account_id and i.destination_id = d.id
      order by i.id desc
      limit 1
    ) as "incidentId"
  from destinations d${OWNERS}
  where d.account_id = $1 and d.deleted_at is null
    and (d.is_notified or d.id in (
      select m.subject
      from messages m
      where m.recipient = $2 and m.at <= $3
    ))`;

const PUT_OFF = `-- name: put messages of recipient off
  update messages
  set held_until = $1, claim_token = null, refusals = refusals + $2
  where recipient = $3`;

const DELETE_CLAIMED = `-- name: delete messages that were sent
  delete from messages
  where recipient = $1 and claim_token = $2 and kind <> 'reminder'`;

const REMIND = `-- name: remind recipient later
  update messages
  set at = $1, due_at = $1, claim_token = null, refusals = 0
  where recipient = $2 and kind = 'reminder'`;

/** Unless a later one is on its way. */
const NOTE_ASKED = `-- name: note what became of confirmation email
  update mail_addresses
  set asked_state = $1
  where id = $2 and asked_at = $3`;
