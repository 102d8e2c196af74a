/** What the reader of a mailbox decides, by the links of letters: they are known here by a hash of their token only. */
import { daysMs } from "../../lib/duration.ts";
import { type LinkRow, linkOf } from "../mail-rows.ts";
import type { StoredMailLink, UseMailLink } from "../contract/mail.ts";
import { writeAudit } from "./audit.ts";
import { dropNews } from "./mail-addresses.ts";
import type { Transaction } from "./transaction.ts";

/** A link that has run out is remembered for so long, so that whoever opens it is told why it does not work. */
const REMEMBERED_MS = daysMs(30);

/** An address that was removed gets no letters; those that lie in its mailbox can be used for a month more. */
const REMOVED_MS = daysMs(30);

interface LinkParams {
  readonly tokenHash: string;
  readonly nowMs: number;
}

export function loadMailLink(tx: Transaction, { tokenHash, nowMs }: LinkParams): StoredMailLink | null {
  const row = findLink(tx, tokenHash);
  return row === undefined ? null : linkOf(row, nowMs);
}

export function useMailLink(tx: Transaction, { tokenHash, action, nowMs }: UseMailLink): StoredMailLink | null {
  const row = findLink(tx, tokenHash);
  if (row === undefined) return null;
  const link = linkOf(row, nowMs);
  if (link.purpose !== (action === "confirm" ? "confirm" : "stop")) return link;
  const decision = { link, addressId: row.addressId, nowMs };
  if (action === "stop") return stopLetters(tx, decision);
  if (link.found !== "good") return link;
  const started = startLetters(tx, decision);
  if (action === "confirm") tx.db.run(USE_LINK, nowMs, tokenHash);
  return started;
}

interface Decision {
  readonly link: StoredMailLink;
  readonly addressId: string;
  readonly nowMs: number;
}

/** Also of an address that was removed: it stays stopped when it comes back. */
function stopLetters(tx: Transaction, { link, addressId, nowMs }: Decision): StoredMailLink {
  if (link.state === "stopped") return link;
  tx.db.run(STOP_ADDRESS, nowMs, addressId);
  dropNews(tx, addressId);
  audit(tx, { link, action: "mail_address_stopped", nowMs });
  return { ...link, state: "stopped" };
}

/** Whoever can read a letter to this address may have letters: it is confirmed by that. */
function startLetters(tx: Transaction, { link, addressId, nowMs }: Decision): StoredMailLink {
  if (link.state === "confirmed") return link;
  tx.db.run(CONFIRM_ADDRESS, nowMs, addressId);
  const action = link.state === "stopped" ? "mail_address_started" : "mail_address_confirmed";
  audit(tx, { link, action, nowMs });
  return { ...link, state: "confirmed" };
}

interface Entry {
  readonly link: StoredMailLink;
  readonly action: "mail_address_confirmed" | "mail_address_stopped" | "mail_address_started";
  readonly nowMs: number;
}

function audit(tx: Transaction, { link, action, nowMs }: Entry): void {
  const { accountId, address } = link;
  writeAudit(tx, { accountId, nowMs, by: { person: address, role: "system" }, action, subject: address });
}

function findLink(tx: Transaction, tokenHash: string): LinkRow | undefined {
  return tx.db.get<LinkRow>(FIND_CONFIRMING, tokenHash) ?? tx.db.get<LinkRow>(FIND_STOPPING, tokenHash);
}

/** Part of the housekeeping; returns how many. */
export function purgeMail(tx: Transaction, { nowMs, limit }: { nowMs: number; limit: number }): number {
  let left = limit;
  left -= tx.db.run(DELETE_EXPIRED_LINKS, nowMs - REMEMBERED_MS, left);
  left -= tx.db.run(DELETE_OLD_LETTERS, nowMs - LETTERS_KEPT_MS, left);
  left -= tx.db.run(FORGET_REMOVED, nowMs - REMOVED_MS, left);
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
  join mail_addresses a on a.id = l.address_id
  join accounts c on c.id = a.account_id
  where l.token_hash = ?`;

const FIND_STOPPING = `-- name: find link that stops letters
  select 'stop' as purpose, ${LINKED}, null as "expiresAtMs", null as "usedAtMs"
  from mail_addresses a
  join accounts c on c.id = a.account_id
  where a.stop_hash = ?`;

const USE_LINK = `-- name: mark link of confirmation letter as used
  update mail_links
  set used_at = ?
  where token_hash = ?`;

const STOP_ADDRESS = `-- name: stop letters to mail address
  update mail_addresses
  set stopped_at = ?
  where id = ?`;

const CONFIRM_ADDRESS = `-- name: confirm mail address
  update mail_addresses
  set confirmed_at = ?, stopped_at = null
  where id = ?`;

/** Exported for the test that reads its plan, like the next ones. */
export const DELETE_EXPIRED_LINKS = `-- name: delete links of letters that ran out long ago
  delete from mail_links
  where token_hash in (select token_hash from mail_links where expires_at <= ? order by expires_at limit ?)`;

export const DELETE_OLD_LETTERS = `-- name: delete confirmation letters that are not counted any more
  delete from confirmation_letters
  where id in (select id from confirmation_letters where at < ? order by at limit ?)`;

export const FORGET_REMOVED = `-- name: forget mail addresses that were removed
  delete from mail_addresses
  where id in (
    select id
    from mail_addresses
    where removed_at < ? and stopped_at is null
    order by removed_at
    limit ?
  )`;
