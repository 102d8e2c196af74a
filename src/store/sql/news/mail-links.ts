/** Decisions of a mailbox's reader, by the links of letters: they are known here by a hash of their token only. */
import { storedPart } from "../../../domain/token.ts";
import { daysMs } from "../../../lib/duration.ts";
import { type LinkRow, toStoredLink } from "./mail-rows.ts";
import type { StoredMailLink, UseMailLink } from "../../contract/mail.ts";
import { writeAudit } from "../audit.ts";
import { dropNews } from "./news-digests.ts";
import type { SqlTransaction } from "../transaction.ts";

/** A link that has run out is remembered for a while, so that its page can say why it does not work. */
const REMEMBERED_MS = daysMs(30);

/** An address that was removed gets no letters; those that lie in its mailbox can be used for a month more. */
const REMOVED_MS = daysMs(30);

interface LinkParams {
  readonly tokenHash: string;
  readonly nowMs: number;
}

export async function loadMailLink(
  tx: SqlTransaction,
  { tokenHash, nowMs }: LinkParams,
): Promise<StoredMailLink | null> {
  const row = await findLink(tx, tokenHash);
  return row === undefined ? null : toStoredLink(row, nowMs);
}

export async function useMailLink(
  tx: SqlTransaction,
  { tokenHash, action, nowMs }: UseMailLink,
): Promise<StoredMailLink | null> {
  const row = await findLink(tx, tokenHash);
  if (row === undefined) return null;
  const link = toStoredLink(row, nowMs);
  if (link.purpose !== (action === "confirm" ? "confirm" : "stop")) return link;
  const decision = { link, addressId: row.addressId, nowMs };
  if (action === "stop") return await stopLetters(tx, decision);
  if (link.found !== "good") return link;
  const started = await startLetters(tx, decision);
  if (action === "confirm") await tx.db.run(USE_LINK, nowMs, storedPart(tokenHash));
  return started;
}

interface Decision {
  readonly link: StoredMailLink;
  readonly addressId: string;
  readonly nowMs: number;
}

/** Also of an address that was removed: it stays stopped when it comes back. */
async function stopLetters(tx: SqlTransaction, { link, addressId, nowMs }: Decision): Promise<StoredMailLink> {
  if (link.state === "stopped") return link;
  await tx.db.run(STOP_ADDRESS, nowMs, addressId);
  await dropNews(tx, addressId);
  await audit(tx, { link, action: "mail_address_stopped", nowMs });
  return { ...link, state: "stopped" };
}

/** A person who reads a letter to this address may have letters: that confirms it. */
async function startLetters(tx: SqlTransaction, { link, addressId, nowMs }: Decision): Promise<StoredMailLink> {
  if (link.state === "confirmed") return link;
  await tx.db.run(CONFIRM_ADDRESS, nowMs, addressId);
  const action = link.state === "stopped" ? "mail_address_started" : "mail_address_confirmed";
  await audit(tx, { link, action, nowMs });
  return { ...link, state: "confirmed" };
}

interface Entry {
  readonly link: StoredMailLink;
  readonly action: "mail_address_confirmed" | "mail_address_stopped" | "mail_address_started";
  readonly nowMs: number;
}

async function audit(tx: SqlTransaction, { link, action, nowMs }: Entry): Promise<void> {
  const { accountId, address } = link;
  await writeAudit(tx, { accountId, nowMs, by: { person: address, role: "system" }, action, subject: address });
}

async function findLink(tx: SqlTransaction, tokenHash: string): Promise<LinkRow | undefined> {
  const confirming = await tx.db.get<LinkRow>(FIND_CONFIRMING, storedPart(tokenHash));
  return confirming ?? (await tx.db.get<LinkRow>(FIND_STOPPING, storedPart(tokenHash)));
}

/** Part of the housekeeping; returns how many. */
export async function purgeMail(
  tx: SqlTransaction,
  { nowMs, limit }: { nowMs: number; limit: number },
): Promise<number> {
  let left = limit;
  left -= await tx.db.run(DELETE_EXPIRED_LINKS, nowMs - REMEMBERED_MS, left);
  left -= await tx.db.run(DELETE_OLD_LETTERS, nowMs - LETTERS_KEPT_MS, left);
  left -= await tx.db.run(FORGET_REMOVED, nowMs - REMOVED_MS, left);
  return limit - left;
}

/** Longer than they are counted and tried. */
const LETTERS_KEPT_MS = daysMs(2);

const LINKED = `a.id as "addressId", a.account_id as "accountId", c.name as "accountName", a.address,
    a.added_at as "addedAtMs", a.confirmed_at as "confirmedAtMs", a.stopped_at as "stoppedAtMs",
    a.removed_at as "removedAtMs"`;

const FIND_CONFIRMING = `-- name: find link of confirmation letter
  select 'confirm' as purpose, ${LINKED}, l.expires_at as "expiresAtMs", l.used_at as "usedAtMs"
  from mail_links l
  join mail_addresses a on a.id = l.address_id and a.bucket = l.bucket
  join accounts c on c.id = a.account_id and c.bucket = a.bucket
  where l.token_hash = $1 and l.bucket = any ($buckets)`;

const FIND_STOPPING = `-- name: find link that stops letters
  select 'stop' as purpose, ${LINKED}, cast(null as bigint) as "expiresAtMs", cast(null as bigint) as "usedAtMs"
  from mail_addresses a
  join accounts c on c.id = a.account_id and c.bucket = a.bucket
  where a.stop_hash = $1 and a.bucket = any ($buckets)`;

const USE_LINK = `-- name: mark link of confirmation letter as used
  update mail_links
  set used_at = $1
  where token_hash = $2 and bucket = any ($buckets)`;

const STOP_ADDRESS = `-- name: stop letters to mail address
  update mail_addresses
  set stopped_at = $1
  where id = $2 and bucket = any ($buckets)`;

const CONFIRM_ADDRESS = `-- name: confirm mail address
  update mail_addresses
  set confirmed_at = $1, stopped_at = null
  where id = $2 and bucket = any ($buckets)`;

export const DELETE_EXPIRED_LINKS = `-- name: delete links of letters that ran out long ago
  with old as materialized (
    select token_hash
    from mail_links
    where expires_at <= $1 and bucket = any ($buckets)
    order by expires_at
    limit $2
  )
  delete from mail_links
  where token_hash in (select token_hash from old) and bucket = any ($buckets)`;

export const DELETE_OLD_LETTERS = `-- name: delete confirmation letters that are not counted any more
  with old as materialized (
    select id
    from confirmation_letters
    where at < $1
    order by at
    limit $2
  )
  delete from confirmation_letters
  where id in (select id from old)`;

export const FORGET_REMOVED = `-- name: forget mail addresses that were removed
  with old as materialized (
    select id
    from mail_addresses
    where removed_at < $1 and stopped_at is null and bucket = any ($buckets)
    order by removed_at
    limit $2
  )
  delete from mail_addresses
  where id in (select id from old) and bucket = any ($buckets)`;
