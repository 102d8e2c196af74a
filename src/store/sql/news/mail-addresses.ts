/** Who is told when an account's destinations fail, as owners decide it. Each letter is counted where it is written. */
import { LIMITS } from "../../../domain/limits.ts";
import type {
  AddMailAddress,
  AddMailAddressResult,
  DecideMailAddress,
  RequestConfirmation,
  RequestConfirmationResult,
  StoredMailAddress,
} from "../../contract/mail.ts";
import {
  type LetterCounts,
  type LetterRefusal,
  LETTERS_WINDOW_MS,
  toAddressKey,
  letterRefusal,
  toMailbox,
  stateOfAddress,
} from "../../../domain/mail-address.ts";
import { type AddressRow, toStoredAddress } from "./mail-rows.ts";
import { writeAudit } from "../audit.ts";
import { findConfigVersion } from "../set-up/config-version.ts";
import { dropNews } from "./news-digests.ts";
import type { SqlTransaction } from "../transaction.ts";

export async function addMailAddress(tx: SqlTransaction, params: AddMailAddress): Promise<AddMailAddressResult> {
  const { accountId, address, letterId, by, nowMs } = params;
  await lockLetters(tx, accountId, toMailbox(address.address));
  if ((await findConfigVersion(tx, accountId)) === null) return { kind: "account_missing" };
  const before = await tx.db.get<AddressRow>(FIND_BY_KEY, accountId, toAddressKey(address.address));
  if (before !== undefined && before.removedAtMs === null) return { kind: "known" };
  if (before !== undefined && before.stoppedAtMs !== null) return { kind: "stopped" };
  const listed = await tx.db.get<{ count: number }>(COUNT_ADDRESSES, accountId);
  if ((listed?.count ?? 0) >= LIMITS.failureMailAddressesMax) return { kind: "full" };
  const addressId = before?.id ?? address.id;
  const letter = { accountId, addressId, letterId, mailbox: toMailbox(address.address), nowMs };
  const refusal = await refuseLetter(tx, letter);
  if (refusal !== null) return { kind: "refused", refusal };
  if (before === undefined) await insertAddress(tx, params);
  else await tx.db.run(LIST_AGAIN, address.address, nowMs, addressId);
  await writeLetter(tx, letter);
  await writeAudit(tx, { accountId, nowMs, by, action: "mail_address_added", subject: address.address });
  return { kind: "added", addressId };
}

async function insertAddress(tx: SqlTransaction, { accountId, address: given, nowMs }: AddMailAddress): Promise<void> {
  const { id, address, stopHash, sealedStop } = given;
  const keys = [toAddressKey(address), toMailbox(address)] as const;
  await tx.db.run(INSERT_ADDRESS, accountId, id, address, ...keys, nowMs, stopHash, sealedStop, nowMs);
}

export async function removeMailAddress(tx: SqlTransaction, params: DecideMailAddress): Promise<"removed" | "missing"> {
  const { accountId, addressId, by, nowMs } = params;
  const found = await tx.db.get<AddressRow>(FIND_ADDRESS, accountId, addressId);
  if (found === undefined) return "missing";
  await tx.db.run(REMOVE_ADDRESS, nowMs, addressId);
  await tx.db.run(DELETE_LINKS, addressId);
  await dropNews(tx, addressId);
  await writeAudit(tx, { accountId, nowMs, by, action: "mail_address_removed", subject: found.address });
  return "removed";
}

export async function requestConfirmation(
  tx: SqlTransaction,
  params: RequestConfirmation,
): Promise<RequestConfirmationResult> {
  const { accountId, addressId, letterId, by, nowMs } = params;
  await lockLettersOfAddress(tx, accountId, addressId);
  const found = await tx.db.get<AddressRow>(FIND_ADDRESS, accountId, addressId);
  if (found === undefined) return { kind: "missing" };
  const { state } = stateOfAddress(found);
  if (state !== "waiting") return { kind: state };
  const letter = { accountId, addressId, letterId, mailbox: toMailbox(found.address), nowMs };
  const refusal = await refuseLetter(tx, letter);
  if (refusal !== null) return { kind: "refused", refusal };
  await writeLetter(tx, letter);
  await writeAudit(tx, { accountId, nowMs, by, action: "mail_address_asked", subject: found.address });
  return { kind: "queued" };
}

export async function loadMailAddresses(
  tx: SqlTransaction,
  { accountId }: { accountId: string },
): Promise<StoredMailAddress[]> {
  return (await tx.db.all<AddressRow>(LIST_ADDRESSES, accountId)).map(toStoredAddress);
}

/** Those who would write a letter wait for each other, on every node: what they count stays true until they commit. */
async function lockLetters(tx: SqlTransaction, accountId: string, mailbox: string): Promise<void> {
  await tx.hold(`letters of ${accountId}`);
  await tx.hold(`letters to ${mailbox}`);
}

async function lockLettersOfAddress(tx: SqlTransaction, accountId: string, addressId: string): Promise<void> {
  const found = await tx.db.get<AddressRow>(FIND_ADDRESS, accountId, addressId);
  if (found !== undefined) await lockLetters(tx, accountId, toMailbox(found.address));
}

interface Letter {
  readonly accountId: string;
  readonly addressId: string;
  readonly letterId: string;
  readonly mailbox: string;
  readonly nowMs: number;
}

async function refuseLetter(tx: SqlTransaction, { accountId, mailbox, nowMs }: Letter): Promise<LetterRefusal | null> {
  const sinceMs = nowMs - LETTERS_WINDOW_MS;
  const counts = await tx.db.get<LetterCounts>(COUNT_LETTERS, accountId, mailbox, sinceMs);
  return counts === undefined ? null : letterRefusal(counts, nowMs);
}

async function writeLetter(
  tx: SqlTransaction,
  { accountId, addressId, letterId, mailbox, nowMs }: Letter,
): Promise<void> {
  await tx.db.run(INSERT_LETTER, letterId, accountId, addressId, mailbox, nowMs);
  await tx.db.run(NOTE_LETTER, nowMs, addressId);
}

/** The columns of `AddressRow`. */
const COLUMNS = `id, address, added_at as "addedAtMs", confirmed_at as "confirmedAtMs", stopped_at as "stoppedAtMs",
    removed_at as "removedAtMs", letter_at as "letterAtMs", letter_state as "letterState"`;

const FIND_BY_KEY = `-- name: find mail address by its spelling
  select ${COLUMNS}
  from mail_addresses
  where account_id = $1 and address_key = $2 and bucket = any ($buckets)`;

const FIND_ADDRESS = `-- name: find mail address
  select ${COLUMNS}
  from mail_addresses
  where account_id = $1 and id = $2 and removed_at is null and bucket = any ($buckets)`;

const LIST_ADDRESSES = `-- name: list mail addresses of account
  select ${COLUMNS}
  from mail_addresses
  where account_id = $1 and removed_at is null and bucket = any ($buckets)
  order by added_at, id`;

const COUNT_ADDRESSES = `-- name: count mail addresses of account
  select count(*) as count
  from mail_addresses
  where account_id = $1 and removed_at is null and bucket = any ($buckets)`;

const INSERT_ADDRESS = `-- name: insert mail address
  insert into mail_addresses
    (bucket, account_id, id, address, address_key, mailbox, added_at, stop_hash, sealed_stop, letter_at, letter_state)
  values ($bucket, $1, $2, $3, $4, $5, $6, $7, $8, $9, 'waiting')`;

const LIST_AGAIN = `-- name: list mail address again
  update mail_addresses
  set address = $1, added_at = $2, removed_at = null, confirmed_at = null
  where id = $3 and bucket = any ($buckets)`;

const REMOVE_ADDRESS = `-- name: remove mail address
  update mail_addresses
  set removed_at = $1, confirmed_at = null
  where id = $2 and bucket = any ($buckets)`;

const DELETE_LINKS = `-- name: delete links of mail address
  delete from mail_links
  where address_id = $1 and bucket = any ($buckets)`;

const COUNT_LETTERS = `-- name: count confirmation letters of late
  select (select count(*) from confirmation_letters where account_id = $1 and at > $3) as "ofAccount",
    (select count(*) from confirmation_letters where mailbox = $2 and at > $3) as "ofMailbox",
    (select count(*) from confirmation_letters where account_id = $1 and mailbox = $2 and at > $3) as "ofBoth",
    (select max(at) from confirmation_letters where account_id = $1 and mailbox = $2 and at > $3) as "latestAtMs"`;

const INSERT_LETTER = `-- name: insert confirmation letter
  insert into confirmation_letters (id, account_id, address_id, mailbox, at, is_open)
  values ($1, $2, $3, $4, $5, true)`;

const NOTE_LETTER = `-- name: note confirmation letter of mail address
  update mail_addresses
  set letter_at = $1, letter_state = 'waiting'
  where id = $2 and bucket = any ($buckets)`;
