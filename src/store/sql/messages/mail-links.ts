/** Decisions of a person who reads the mailbox, by the links of emails: known here by a hash of their token only. */
import { daysMs } from "../../../lib/duration.ts";
import { type AddressTimes, stateOfAddress } from "../../../domain/mail-address.ts";
import type { FollowMailLink, StoredMailLink } from "../../contract/recipients.ts";
import { writeAudit } from "../audit.ts";
import type { SqlTransaction } from "../transaction.ts";
import { dropMessages, startNotifying } from "./put-messages.ts";

/** A link that has run out is remembered for a while, so that its page can say why it does not work. */
const REMEMBERED_MS = daysMs(30);

/** An address that was removed gets no email; the emails that lie in its mailbox can be used for a month more. */
const REMOVED_MS = daysMs(30);

export async function followMailLink(
  tx: SqlTransaction,
  { tokenHash, action, address = null, nowMs }: FollowMailLink,
): Promise<StoredMailLink | null> {
  const row = await findLink(tx, tokenHash);
  if (row === undefined) return null;
  const link = toStoredLink(row, nowMs);
  if (action === "look" || link.purpose !== (action === "confirm" ? "confirm" : "stop")) return link;
  const decision = { link, addressId: row.addressId, from: address, nowMs };
  if (action === "stop") return await stopEmail(tx, decision);
  if (link.found !== "good") return link;
  const started = await startEmail(tx, decision);
  if (action === "confirm") await tx.db.run(USE_LINK, nowMs, tokenHash);
  return started;
}

interface Decision {
  readonly link: StoredMailLink;
  readonly addressId: string;
  /** The reader's network address. */
  readonly from: string | null;
  readonly nowMs: number;
}

/** Also of an address that was removed: it stays stopped when it comes back. */
async function stopEmail(tx: SqlTransaction, { link, addressId, from, nowMs }: Decision): Promise<StoredMailLink> {
  if (link.state === "stopped") return link;
  await dropMessages(tx, addressId);
  await tx.db.run(STOP_ADDRESS, nowMs, addressId);
  await audit(tx, { link, action: "mail_address_stopped", from, nowMs });
  return { ...link, state: "stopped" };
}

/** A person who reads an email to this address may have email: that confirms it. */
async function startEmail(tx: SqlTransaction, { link, addressId, from, nowMs }: Decision): Promise<StoredMailLink> {
  if (link.state === "confirmed") return link;
  await dropMessages(tx, addressId);
  await tx.db.run(CONFIRM_ADDRESS, nowMs, addressId);
  await startNotifying(tx, { accountId: link.accountId, route: "email", recipient: addressId }, nowMs);
  const action = link.state === "stopped" ? "mail_address_started" : "mail_address_confirmed";
  await audit(tx, { link, action, from, nowMs });
  return { ...link, state: "confirmed" };
}

interface Entry extends Omit<Decision, "addressId"> {
  readonly action: "mail_address_confirmed" | "mail_address_stopped" | "mail_address_started";
}

async function audit(tx: SqlTransaction, { link, action, from, nowMs }: Entry): Promise<void> {
  const { accountId, address } = link;
  const by = { person: address, role: "system", address: from } as const;
  await writeAudit(tx, { accountId, nowMs, by, action, subject: address });
}

async function findLink(tx: SqlTransaction, tokenHash: string): Promise<LinkRow | undefined> {
  const confirming = await tx.db.get<LinkRow>(FIND_CONFIRMING, tokenHash);
  return confirming ?? (await tx.db.get<LinkRow>(FIND_STOPPING, tokenHash));
}

/** Part of the housekeeping; returns how many. */
export async function purgeMail(
  tx: SqlTransaction,
  { nowMs, limit }: { nowMs: number; limit: number },
): Promise<number> {
  let left = limit;
  left -= await tx.db.run(DELETE_EXPIRED_LINKS, nowMs - REMEMBERED_MS, left);
  left -= await tx.db.run(DELETE_OLD_REQUESTS, nowMs - REQUESTS_KEPT_MS, left);
  left -= await tx.db.run(FORGET_REMOVED, nowMs - REMOVED_MS, left);
  return limit - left;
}

/** Longer than they are counted. */
const REQUESTS_KEPT_MS = daysMs(2);

interface LinkRow extends AddressTimes {
  readonly purpose: "confirm" | "stop";
  readonly addressId: string;
  readonly accountId: string;
  readonly accountName: string;
  readonly address: string;
  readonly removedAtMs: number | null;
  readonly expiresAtMs: number | null;
  readonly usedAtMs: number | null;
}

function toStoredLink(row: LinkRow, nowMs: number): StoredMailLink {
  const { purpose, accountId, accountName, address } = row;
  return { purpose, accountId, accountName, address, found: foundAs(row, nowMs), state: stateOfAddress(row).state };
}

function foundAs({ removedAtMs, usedAtMs, expiresAtMs }: LinkRow, nowMs: number): StoredMailLink["found"] {
  if (removedAtMs !== null) return "removed";
  if (usedAtMs !== null) return "used";
  return expiresAtMs !== null && expiresAtMs <= nowMs ? "expired" : "good";
}

const LINKED = `a.id as "addressId", a.account_id as "accountId", c.name as "accountName", a.address,
    a.added_at as "addedAtMs", a.confirmed_at as "confirmedAtMs", a.stopped_at as "stoppedAtMs",
    a.removed_at as "removedAtMs"`;

const FIND_CONFIRMING = `-- name: find link of confirmation email
  select 'confirm' as purpose, ${LINKED}, l.expires_at as "expiresAtMs", l.used_at as "usedAtMs"
  from mail_links l
  join mail_addresses a on a.id = l.address_id
  join accounts c on c.id = a.account_id
  where l.token_hash = $1`;

const FIND_STOPPING = `-- name: find link that stops email
  select 'stop' as purpose, ${LINKED}, cast(null as bigint) as "expiresAtMs", cast(null as bigint) as "usedAtMs"
  from mail_addresses a
  join accounts c on c.id = a.account_id
  where a.stop_hash = $1`;

const USE_LINK = `-- name: note link of confirmation email as used
  update mail_links
  set used_at = $1
  where token_hash = $2`;

const STOP_ADDRESS = `-- name: stop email to mail address
  update mail_addresses
  set stopped_at = $1
  where id = $2`;

const CONFIRM_ADDRESS = `-- name: confirm mail address
  update mail_addresses
  set confirmed_at = $1, stopped_at = null
  where id = $2`;

export const DELETE_EXPIRED_LINKS = `-- name: delete links of emails that ran out long ago
  with old as materialized (
    select token_hash
    from mail_links
    where expires_at <= $1
    order by expires_at
    limit $2
  )
  delete from mail_links
  where token_hash in (select token_hash from old)`;

export const DELETE_OLD_REQUESTS = `-- name: delete confirmation requests that are not counted any more
  with old as materialized (
    select seq
    from confirmation_requests
    where at < $1
    order by at
    limit $2
  )
  delete from confirmation_requests
  where seq in (select seq from old)`;

export const FORGET_REMOVED = `-- name: forget mail addresses that were removed
  with old as materialized (
    select id
    from mail_addresses
    where removed_at < $1 and stopped_at is null
    order by removed_at
    limit $2
  )
  delete from mail_addresses
  where id in (select id from old)`;
