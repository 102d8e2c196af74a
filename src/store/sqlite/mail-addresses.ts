/** Who is told when an account's destinations fail, as owners decide it. Each letter is counted where it is written. */
import { LIMITS } from "../../domain/limits.ts";
import type {
  AddMailAddress,
  AddMailAddressResult,
  DecideMailAddress,
  RequestConfirmation,
  RequestConfirmationResult,
  StoredMailAddress,
} from "../contract/mail.ts";
import {
  type LetterCounts,
  type LetterRefusal,
  LETTERS_WINDOW_MS,
  toAddressKey,
  letterRefusal,
  toMailbox,
  stateOfAddress,
} from "../../domain/mail-address.ts";
import { type AddressRow, addressOf } from "../mail-rows.ts";
import { writeAudit } from "./audit.ts";
import { configVersionOf } from "./config-version.ts";
import type { Transaction } from "./transaction.ts";

export function addMailAddress(tx: Transaction, params: AddMailAddress): AddMailAddressResult {
  const { accountId, address, letterId, by, nowMs } = params;
  if (configVersionOf(tx, accountId) === null) return { kind: "account_missing" };
  const before = tx.db.get<AddressRow>(FIND_BY_KEY, accountId, toAddressKey(address.address));
  if (before !== undefined && before.removedAtMs === null) return { kind: "known" };
  if (before !== undefined && before.stoppedAtMs !== null) return { kind: "stopped" };
  const listed = tx.db.get<{ count: number }>(COUNT_ADDRESSES, accountId)?.count ?? 0;
  if (listed >= LIMITS.failureMailAddressesMax) return { kind: "full" };
  const addressId = before?.id ?? address.id;
  const letter = { accountId, addressId, letterId, mailbox: toMailbox(address.address), nowMs };
  const refusal = refuseLetter(tx, letter);
  if (refusal !== null) return { kind: "refused", refusal };
  if (before === undefined) insertAddress(tx, params);
  else tx.db.run(LIST_AGAIN, address.address, nowMs, addressId);
  writeLetter(tx, letter);
  writeAudit(tx, { accountId, nowMs, by, action: "mail_address_added", subject: address.address });
  return { kind: "added", addressId };
}

function insertAddress(tx: Transaction, { accountId, address: given, nowMs }: AddMailAddress): void {
  const { id, address, stopHash, sealedStop } = given;
  const keys = [toAddressKey(address), toMailbox(address)] as const;
  tx.db.run(INSERT_ADDRESS, id, accountId, address, ...keys, nowMs, stopHash, sealedStop, nowMs);
}

export function removeMailAddress(tx: Transaction, params: DecideMailAddress): "removed" | "missing" {
  const { accountId, addressId, by, nowMs } = params;
  const found = tx.db.get<AddressRow>(FIND_ADDRESS, accountId, addressId);
  if (found === undefined) return "missing";
  tx.db.run(REMOVE_ADDRESS, nowMs, addressId);
  tx.db.run(DELETE_LINKS, addressId);
  dropNews(tx, addressId);
  writeAudit(tx, { accountId, nowMs, by, action: "mail_address_removed", subject: found.address });
  return "removed";
}

export function requestConfirmation(tx: Transaction, params: RequestConfirmation): RequestConfirmationResult {
  const { accountId, addressId, letterId, by, nowMs } = params;
  const found = tx.db.get<AddressRow>(FIND_ADDRESS, accountId, addressId);
  if (found === undefined) return { kind: "missing" };
  const { state } = stateOfAddress(found);
  if (state !== "waiting") return { kind: state };
  const letter = { accountId, addressId, letterId, mailbox: toMailbox(found.address), nowMs };
  const refusal = refuseLetter(tx, letter);
  if (refusal !== null) return { kind: "refused", refusal };
  writeLetter(tx, letter);
  writeAudit(tx, { accountId, nowMs, by, action: "mail_address_asked", subject: found.address });
  return { kind: "queued" };
}

export function loadMailAddresses(tx: Transaction, { accountId }: { accountId: string }): StoredMailAddress[] {
  return tx.db.all<AddressRow>(LIST_ADDRESSES, accountId).map(addressOf);
}

/** What waits to be told to an address that is told nothing any more. */
export function dropNews(tx: Transaction, addressId: string): void {
  tx.db.run(DELETE_NEWS, addressId);
}

interface Letter {
  readonly accountId: string;
  readonly addressId: string;
  readonly letterId: string;
  readonly mailbox: string;
  readonly nowMs: number;
}

function refuseLetter(tx: Transaction, { accountId, mailbox, nowMs }: Letter): LetterRefusal | null {
  const sinceMs = nowMs - LETTERS_WINDOW_MS;
  const both = [accountId, mailbox, sinceMs] as const;
  const counts = tx.db.get<LetterCounts>(COUNT_LETTERS, accountId, sinceMs, mailbox, sinceMs, ...both, ...both);
  return counts === undefined ? null : letterRefusal(counts, nowMs);
}

function writeLetter(tx: Transaction, { accountId, addressId, letterId, mailbox, nowMs }: Letter): void {
  tx.db.run(INSERT_LETTER, letterId, accountId, addressId, mailbox, nowMs);
  tx.db.run(NOTE_LETTER, nowMs, addressId);
}

/** The columns of `AddressRow`. */
const COLUMNS = `id, address, added_at as "addedAtMs", confirmed_at as "confirmedAtMs", stopped_at as "stoppedAtMs",
    removed_at as "removedAtMs", letter_at as "letterAtMs", letter_state as "letterState"`;

const FIND_BY_KEY = `-- name: find mail address by its spelling
  select ${COLUMNS}
  from mail_addresses
  where account_id = ? and address_key = ?`;

const FIND_ADDRESS = `-- name: find mail address
  select ${COLUMNS}
  from mail_addresses
  where account_id = ? and id = ? and removed_at is null`;

const LIST_ADDRESSES = `-- name: list mail addresses of account
  select ${COLUMNS}
  from mail_addresses
  where account_id = ? and removed_at is null
  order by added_at, id`;

const COUNT_ADDRESSES = `-- name: count mail addresses of account
  select count(*) as count
  from mail_addresses
  where account_id = ? and removed_at is null`;

const INSERT_ADDRESS = `-- name: insert mail address
  insert into mail_addresses
    (id, account_id, address, address_key, mailbox, added_at, stop_hash, sealed_stop, letter_at, letter_state)
  values (?, ?, ?, ?, ?, ?, ?, ?, ?, 'waiting')`;

const LIST_AGAIN = `-- name: list mail address again
  update mail_addresses
  set address = ?, added_at = ?, removed_at = null, confirmed_at = null
  where id = ?`;

const REMOVE_ADDRESS = `-- name: remove mail address
  update mail_addresses
  set removed_at = ?, confirmed_at = null
  where id = ?`;

const DELETE_LINKS = `-- name: delete links of mail address
  delete from mail_links
  where address_id = ?`;

const DELETE_NEWS = `-- name: delete news for mail address
  delete from failure_news
  where address_id = ?`;

const COUNT_LETTERS = `-- name: count confirmation letters of late
  select (select count(*) from confirmation_letters where account_id = ? and at > ?) as "ofAccount",
    (select count(*) from confirmation_letters where mailbox = ? and at > ?) as "ofMailbox",
    (select count(*) from confirmation_letters where account_id = ? and mailbox = ? and at > ?) as "ofBoth",
    (select max(at) from confirmation_letters where account_id = ? and mailbox = ? and at > ?) as "latestAtMs"`;

const INSERT_LETTER = `-- name: insert confirmation letter
  insert into confirmation_letters (id, account_id, address_id, mailbox, at, is_open)
  values (?, ?, ?, ?, ?, 1)`;

const NOTE_LETTER = `-- name: note confirmation letter of mail address
  update mail_addresses
  set letter_at = ?, letter_state = 'waiting'
  where id = ?`;
