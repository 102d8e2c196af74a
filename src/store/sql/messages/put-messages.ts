/**
 * Messages as other verbs write them, in the transaction of what they are about. They are only added: no two
 * settlements wait for each other here, and of several about one destination the latest counts when they are sent.
 *
 * Invariant: whoever is notified has a `reminder`. It comes when an address is confirmed or a channel is added and goes
 * with it, so an account's recipients are found by it, addresses and channels alike.
 */
import {
  CERTIFICATE_WARNED_AFTER_MS,
  GATHER_MS,
  listCertificateWarnings,
  MESSAGE_MS_MAX,
  type MessageRoute,
  REMIND_MS,
} from "../../../domain/message.ts";
import type { OutageKind } from "../../../domain/outage-notifications.ts";
import type { ConfirmationLink } from "../../contract/messages.ts";
import type { SqlTransaction } from "../transaction.ts";

export interface Outage {
  readonly accountId: string;
  readonly destinationId: string;
  readonly kind: OutageKind;
  readonly nowMs: number;
}

/** False, and nothing is written, for an account without a recipient. */
export async function putOutage(tx: SqlTransaction, outage: Outage): Promise<boolean> {
  const { accountId, destinationId, kind, nowMs } = outage;
  const times = [nowMs, nowMs + GATHER_MS, nowMs + MESSAGE_MS_MAX] as const;
  return (await tx.db.run(PUT_TO_RECIPIENTS, kind, destinationId, ...times, accountId)) > 0;
}

export interface Certificate {
  readonly accountId: string;
  readonly destinationId: string;
  readonly endsAtMs: number;
}

/** Instead of what was written about the one that the destination presented before; `null`: it presents none. */
export async function putCertificateWarnings(
  tx: SqlTransaction,
  { accountId, destinationId, endsAtMs }: Omit<Certificate, "endsAtMs"> & { readonly endsAtMs: number | null },
  nowMs: number,
): Promise<void> {
  await tx.db.run(DROP_WARNINGS, accountId, destinationId);
  if (endsAtMs === null) return;
  for (const atMs of listCertificateWarnings(endsAtMs, nowMs)) {
    const times = [atMs, atMs, endsAtMs + CERTIFICATE_WARNED_AFTER_MS] as const;
    await tx.db.run(PUT_TO_RECIPIENTS, "certificate_ends", destinationId, ...times, accountId);
  }
}

export interface Recipient {
  readonly accountId: string;
  readonly route: MessageRoute;
  readonly recipient: string;
}

/** From now on it is notified, also of a failure that lasts and of certificates that end. */
export async function startNotifying(tx: SqlTransaction, to: Recipient, nowMs: number): Promise<void> {
  const remindAtMs = nowMs + REMIND_MS;
  await putMessage(tx, to, { kind: "reminder", atMs: remindAtMs, expiresAtMs: null });
  const certificates = await tx.db.all<Certificate>(LIST_CERTIFIED, to.accountId, nowMs - CERTIFICATE_WARNED_AFTER_MS);
  for (const { destinationId: subject, endsAtMs } of certificates) {
    for (const atMs of listCertificateWarnings(endsAtMs, nowMs)) {
      const expiresAtMs = endsAtMs + CERTIFICATE_WARNED_AFTER_MS;
      await putMessage(tx, to, { kind: "certificate_ends", subject, atMs, expiresAtMs });
    }
  }
}

/** Drops what waits for a recipient that gets no messages any more. */
export async function dropMessages(tx: SqlTransaction, recipient: string): Promise<void> {
  await lockMessages(tx, recipient);
  await tx.db.run(DROP_MESSAGES, recipient);
}

export interface AskedAddress {
  readonly accountId: string;
  readonly addressId: string;
  readonly link: ConfirmationLink;
  readonly nowMs: number;
}

export async function putConfirmation(
  tx: SqlTransaction,
  { accountId, addressId, link, nowMs }: AskedAddress,
): Promise<void> {
  const to = { accountId, route: "email", recipient: addressId } as const;
  const expiresAtMs = nowMs + MESSAGE_MS_MAX;
  await putMessage(tx, to, { kind: "confirmation", body: JSON.stringify(link), atMs: nowMs, expiresAtMs });
}

export interface Alert {
  /** Empty when it is about none. */
  readonly accountId: string;
  readonly subject: string;
  readonly body: string;
  readonly nowMs: number;
}

/** Writes an alert to the operator. Alerts of one subject go out in order; subjects do not wait for each other. */
export async function putAlert(tx: SqlTransaction, { accountId, subject, body, nowMs }: Alert): Promise<void> {
  const to = { accountId, route: "operator", recipient: `operator/${subject}` } as const;
  await putMessage(tx, to, {
    kind: "operator_alert",
    subject,
    body,
    atMs: nowMs,
    expiresAtMs: nowMs + MESSAGE_MS_MAX,
  });
}

/** The kinds of `messages`. */
export type MessageKind = OutageKind | "confirmation" | "certificate_ends" | "reminder" | "operator_alert";

interface NewMessage {
  readonly kind: MessageKind;
  readonly subject?: string;
  readonly body?: string;
  readonly atMs: number;
  readonly expiresAtMs: number | null;
}

async function putMessage(
  tx: SqlTransaction,
  { accountId, route, recipient }: Recipient,
  { kind, subject = "", body = "", atMs, expiresAtMs }: NewMessage,
): Promise<void> {
  await tx.db.run(PUT_MESSAGE, accountId, route, recipient, kind, subject, body, atMs, atMs, expiresAtMs);
}

export interface MessageRow {
  readonly seq: number;
  readonly kind: MessageKind;
  readonly subject: string;
  readonly body: string;
  readonly atMs: number;
  readonly claimToken: string | null;
  readonly refusals: number;
}

/** All of a recipient, which nobody else claims, settles or drops until the commit. Always in the same order. */
export const lockMessages = async (tx: SqlTransaction, recipient: string): Promise<MessageRow[]> =>
  await tx.db.all<MessageRow>(LOCK_MESSAGES, recipient);

/** What waits for the recipient goes at once, unless a node is sending to it right now. */
export async function endHold(tx: SqlTransaction, recipient: string): Promise<void> {
  const known = await lockMessages(tx, recipient);
  if (known.every(({ claimToken }) => claimToken === null)) await releaseRecipient(tx, recipient);
}

export async function releaseRecipient(tx: SqlTransaction, recipient: string): Promise<void> {
  await tx.db.run(RELEASE, recipient);
}

const PUT_MESSAGE = `-- name: put message
  insert into messages (account_id, route, recipient, kind, subject, body, at, due_at, expires_at)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`;

const PUT_TO_RECIPIENTS = `-- name: put message to each recipient of account
  insert into messages (account_id, route, recipient, kind, subject, body, at, due_at, expires_at)
  select r.account_id, r.route, r.recipient, $1, $2, '', $3, $4, $5
  from messages r
  where r.account_id = $6 and r.kind = 'reminder'`;

const LIST_CERTIFIED = `-- name: list destinations with a client certificate
  select account_id as "accountId", id as "destinationId", certificate_ends_at as "endsAtMs"
  from destinations
  where account_id = $1 and certificate_ends_at > $2 and deleted_at is null`;

const DROP_WARNINGS = `-- name: drop warnings of certificate
  delete from messages
  where account_id = $1 and kind = 'certificate_ends' and subject = $2`;

const LOCK_MESSAGES = `-- name: lock messages of recipient
  select seq, kind, subject, body, at as "atMs", claim_token as "claimToken", refusals
  from messages
  where recipient = $1
  order by at, seq
  for update`;

const DROP_MESSAGES = `-- name: drop messages of recipient
  delete from messages
  where recipient = $1`;

const RELEASE = `-- name: release messages of recipient
  update messages
  set held_until = 0, refusals = 0
  where recipient = $1`;
