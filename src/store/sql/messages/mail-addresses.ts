/** Addresses that an account wants notified, as owners decide it. Each confirmation email is counted here. */
import { LIMITS } from "../../../domain/limits.ts";
import type {
  AddMailAddress,
  AddMailAddressResult,
  NewConfirmationLink,
  RemoveRecipient,
  RequestConfirmation,
  RequestConfirmationResult,
  StoredMailAddress,
} from "../../contract/recipients.ts";
import {
  type AddressTimes,
  type ConfirmationCounts,
  type ConfirmationRefusal,
  type ConfirmationState,
  CONFIRMATIONS_WINDOW_MS,
  confirmationRefusal,
  stateOfAddress,
  toAddressKey,
  toMailbox,
} from "../../../domain/mail-address.ts";
import { writeAudit } from "../audit.ts";
import { findConfigVersion } from "../config-version.ts";
import type { SqlTransaction } from "../transaction.ts";
import { dropMessages, putConfirmation } from "./put-messages.ts";

export async function addMailAddress(tx: SqlTransaction, params: AddMailAddress): Promise<AddMailAddressResult> {
  const { accountId, address, link, by, nowMs } = params;
  await lockAsking(tx, accountId, toMailbox(address.address));
  if ((await findConfigVersion(tx, accountId)) === null) return { kind: "account_missing" };
  const before = await tx.db.get<AddressRow>(FIND_BY_KEY, accountId, toAddressKey(address.address));
  if (before !== undefined && before.removedAtMs === null) return { kind: "known" };
  if (before !== undefined && before.stoppedAtMs !== null) return { kind: "stopped" };
  const listed = await tx.db.get<{ count: number }>(COUNT_ADDRESSES, accountId);
  if ((listed?.count ?? 0) >= LIMITS.failureMailAddressesMax) return { kind: "full" };
  const addressId = before?.id ?? address.id;
  const asked = { accountId, addressId, link, mailbox: toMailbox(address.address), nowMs };
  const refusal = await refuseAsking(tx, asked);
  if (refusal !== null) return { kind: "refused", refusal };
  if (before === undefined) await insertAddress(tx, params);
  else await tx.db.run(LIST_AGAIN, address.address, nowMs, addressId);
  await ask(tx, asked);
  await writeAudit(tx, { accountId, nowMs, by, action: "mail_address_added", subject: address.address });
  return { kind: "added", addressId };
}

async function insertAddress(tx: SqlTransaction, { accountId, address: given, nowMs }: AddMailAddress): Promise<void> {
  const { id, address, stopHash, sealedStop } = given;
  const keys = [toAddressKey(address), toMailbox(address)] as const;
  await tx.db.run(INSERT_ADDRESS, accountId, id, address, ...keys, nowMs, stopHash, sealedStop, nowMs);
}

/** False: the account has no such address. */
export async function removeMailAddress(tx: SqlTransaction, params: RemoveRecipient): Promise<boolean> {
  const { accountId, recipientId: addressId, by, nowMs } = params;
  const found = await tx.db.get<AddressRow>(FIND_ADDRESS, accountId, addressId);
  if (found === undefined) return false;
  await dropMessages(tx, addressId);
  await tx.db.run(REMOVE_ADDRESS, nowMs, addressId);
  await tx.db.run(DELETE_LINKS, addressId);
  await writeAudit(tx, { accountId, nowMs, by, action: "mail_address_removed", subject: found.address });
  return true;
}

export async function requestConfirmation(
  tx: SqlTransaction,
  params: RequestConfirmation,
): Promise<RequestConfirmationResult> {
  const { accountId, addressId, link, by, nowMs } = params;
  await lockAskingAddress(tx, accountId, addressId);
  const found = await tx.db.get<AddressRow>(FIND_ADDRESS, accountId, addressId);
  if (found === undefined) return { kind: "missing" };
  const { state } = stateOfAddress(found);
  if (state !== "waiting") return { kind: state };
  const asked = { accountId, addressId, link, mailbox: toMailbox(found.address), nowMs };
  const refusal = await refuseAsking(tx, asked);
  if (refusal !== null) return { kind: "refused", refusal };
  await ask(tx, asked);
  await writeAudit(tx, { accountId, nowMs, by, action: "mail_address_asked", subject: found.address });
  return { kind: "queued" };
}

export async function listMailAddresses(tx: SqlTransaction, accountId: string): Promise<StoredMailAddress[]> {
  return (await tx.db.all<AddressRow>(LIST_ADDRESSES, accountId)).map(toStoredAddress);
}

interface AddressRow extends AddressTimes {
  readonly id: string;
  readonly address: string;
  readonly removedAtMs: number | null;
  readonly askedAtMs: number;
  readonly askedState: ConfirmationState;
}

const toStoredAddress = (row: AddressRow): StoredMailAddress => ({
  id: row.id,
  address: row.address,
  ...stateOfAddress(row),
  confirmation: { atMs: row.askedAtMs, state: row.askedState },
});

/** Calls that would ask an address wait for each other, on every node: what they count stays true until they commit. */
async function lockAsking(tx: SqlTransaction, accountId: string, mailbox: string): Promise<void> {
  await tx.hold(`confirmations of ${accountId}`);
  await tx.hold(`confirmations to ${mailbox}`);
}

async function lockAskingAddress(tx: SqlTransaction, accountId: string, addressId: string): Promise<void> {
  const found = await tx.db.get<AddressRow>(FIND_ADDRESS, accountId, addressId);
  if (found !== undefined) await lockAsking(tx, accountId, toMailbox(found.address));
}

interface Asking {
  readonly accountId: string;
  readonly addressId: string;
  readonly link: NewConfirmationLink;
  readonly mailbox: string;
  readonly nowMs: number;
}

async function refuseAsking(
  tx: SqlTransaction,
  { accountId, mailbox, nowMs }: Asking,
): Promise<ConfirmationRefusal | null> {
  const sinceMs = nowMs - CONFIRMATIONS_WINDOW_MS;
  const counts = await tx.db.get<ConfirmationCounts>(COUNT_REQUESTS, accountId, mailbox, sinceMs);
  return counts === undefined ? null : confirmationRefusal(counts, nowMs);
}

async function ask(tx: SqlTransaction, { accountId, addressId, link, mailbox, nowMs }: Asking): Promise<void> {
  const untilMs = nowMs + LIMITS.confirmLinkMs;
  await tx.db.run(INSERT_REQUEST, accountId, mailbox, nowMs);
  await tx.db.run(INSERT_LINK, link.secretHash, addressId, untilMs);
  await putConfirmation(tx, { accountId, addressId, link: { ...link, untilMs }, nowMs });
  await tx.db.run(NOTE_REQUEST, nowMs, addressId);
}

/** The columns of `AddressRow`. */
const COLUMNS = `id, address, added_at as "addedAtMs", confirmed_at as "confirmedAtMs", stopped_at as "stoppedAtMs",
    removed_at as "removedAtMs", asked_at as "askedAtMs", asked_state as "askedState"`;

const FIND_BY_KEY = `-- name: find mail address by its spelling
  select ${COLUMNS}
  from mail_addresses
  where account_id = $1 and address_key = $2`;

const FIND_ADDRESS = `-- name: find mail address
  select ${COLUMNS}
  from mail_addresses
  where account_id = $1 and id = $2 and removed_at is null`;

const LIST_ADDRESSES = `-- name: list mail addresses of account
  select ${COLUMNS}
  from mail_addresses
  where account_id = $1 and removed_at is null
  order by added_at, id`;

const COUNT_ADDRESSES = `-- name: count mail addresses of account
  select count(*) as count
  from mail_addresses
  where account_id = $1 and removed_at is null`;

const INSERT_ADDRESS = `-- name: insert mail address
  insert into mail_addresses
    (account_id, id, address, address_key, mailbox, added_at, stop_hash, sealed_stop, asked_at, asked_state)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, 'waiting')`;

const LIST_AGAIN = `-- name: list mail address again
  update mail_addresses
  set address = $1, added_at = $2, removed_at = null, confirmed_at = null
  where id = $3`;

const REMOVE_ADDRESS = `-- name: remove mail address
  update mail_addresses
  set removed_at = $1, confirmed_at = null
  where id = $2`;

const DELETE_LINKS = `-- name: delete links of mail address
  delete from mail_links
  where address_id = $1`;

const COUNT_REQUESTS = `-- name: count confirmation requests of late
  select (select count(*) from confirmation_requests where account_id = $1 and at > $3) as "ofAccount",
    (select count(*) from confirmation_requests where mailbox = $2 and at > $3) as "ofMailbox",
    (select count(*) from confirmation_requests where account_id = $1 and mailbox = $2 and at > $3) as "ofBoth",
    (select max(at) from confirmation_requests where account_id = $1 and mailbox = $2 and at > $3) as "latestAtMs"`;

const INSERT_REQUEST = `-- name: insert confirmation request
  insert into confirmation_requests (account_id, mailbox, at)
  values ($1, $2, $3)`;

const INSERT_LINK = `-- name: insert link of confirmation email
  insert into mail_links (token_hash, address_id, expires_at)
  values ($1, $2, $3)`;

const NOTE_REQUEST = `-- name: note confirmation request of mail address
  update mail_addresses
  set asked_at = $1, asked_state = 'waiting'
  where id = $2`;
