/**
 * Confirmation letters on their way. A letter's link is made when the letter is claimed: its token is known to the node
 * that sends it alone, and a node that dies leaves an unknown link behind.
 *
 * Letters belong to the installation, because they are counted by mailbox over all accounts. Their addresses and links
 * belong to accounts, so no statement reads both.
 */
import { LIMITS } from "../../../domain/limits.ts";
import { LETTER_MS_MAX } from "../../../domain/mail-address.ts";
import type { ClaimConfirmations, ClaimedConfirmation, SettleConfirmation } from "../../contract/mail.ts";
import { type Answer, type SqlTransaction, ofAccount } from "../transaction.ts";

/** Locks free letters up to the limit, those that were claimed longest ago first. */
export type ListFree = (nowMs: number, limit: number) => Answer<readonly LetterRow[]>;

export async function claimConfirmations(
  tx: SqlTransaction,
  params: ClaimConfirmations,
  listFree: ListFree = (nowMs, limit) => tx.db.all<LetterRow>(LIST_FREE, nowMs, limit),
): Promise<ClaimedConfirmation[]> {
  const { nowMs, secretHashes } = params;
  const claimed: ClaimedConfirmation[] = [];
  for (let looked = 0; looked < LOOKED_AT_MAX && claimed.length < secretHashes.length;) {
    const free = await listFree(nowMs, secretHashes.length - claimed.length);
    if (free.length === 0) break;
    looked += free.length;
    for (const letter of free) {
      const secretHash = secretHashes[claimed.length] ?? "";
      const confirmation = await claimIfWanted(tx, letter, { ...params, secretHash });
      if (confirmation !== null) claimed.push(confirmation);
    }
  }
  return claimed;
}

/** `null` for one that no mail server took for a day, and where the address needs none any more: it is closed. */
async function claimIfWanted(
  tx: SqlTransaction,
  letter: LetterRow,
  { nowMs, claimToken, claimUntilMs, secretHash }: ClaimConfirmations & { readonly secretHash: string },
): Promise<ClaimedConfirmation | null> {
  const { letterId, accountId, addressId, atMs } = letter;
  const { db } = ofAccount(tx, accountId);
  const isTooOld = atMs <= nowMs - LETTER_MS_MAX;
  const address = isTooOld ? undefined : await db.get<AddressRow>(FIND_WAITING, addressId);
  if (address === undefined) {
    await tx.db.run(CLOSE_LETTER, letterId);
    await db.run(NOTE_DROPPED, addressId, atMs);
    return null;
  }
  const linkUntilMs = nowMs + LIMITS.confirmLinkMs;
  await tx.db.run(CLAIM_LETTER, claimToken, claimUntilMs, letterId);
  await db.run(INSERT_LINK, secretHash, addressId, linkUntilMs);
  return { letterId, addressId, accountId, ...address, secretHash, linkUntilMs };
}

export async function settleConfirmationIfClaimed(tx: SqlTransaction, params: SettleConfirmation): Promise<void> {
  const { accountId, letterId, claimToken, state } = params;
  const settled = await tx.db.get<SettledRow>(SETTLE_LETTER, letterId, claimToken, accountId);
  if (settled !== undefined) await tx.db.run(NOTE_SETTLED, state, settled.addressId, settled.atMs);
}

export interface LetterRow {
  readonly letterId: string;
  readonly accountId: string;
  readonly addressId: string;
  readonly atMs: number;
}

type SettledRow = Pick<LetterRow, "addressId" | "atMs">;

type AddressRow = Pick<ClaimedConfirmation, "address" | "accountName" | "sealedStop">;

/** At once; more are looked at by the next round. */
const LOOKED_AT_MAX = 100;

/** Exported for the test that reads its plan. */
export const LIST_FREE = `-- name: list confirmation letters that no node holds
  select id as "letterId", account_id as "accountId", address_id as "addressId", at as "atMs"
  from confirmation_letters
  where is_open and claimed_until <= $1
  order by claimed_until, id
  limit $2
  for update skip locked`;

const FIND_WAITING = `-- name: find mail address that waits for its letter
  select a.address, c.name as "accountName", a.sealed_stop as "sealedStop"
  from mail_addresses a
  join accounts c on c.id = a.account_id and c.bucket = a.bucket
  where a.id = $1 and a.bucket = any ($buckets) and a.confirmed_at is null and a.stopped_at is null
    and a.removed_at is null`;

const CLOSE_LETTER = `-- name: close confirmation letter
  update confirmation_letters
  set is_open = false, claim_token = null
  where id = $1`;

/** Unless a later one is on its way. */
const NOTE_DROPPED = `-- name: note dropped letter of mail address
  update mail_addresses
  set letter_state = 'dropped'
  where id = $1 and bucket = any ($buckets) and letter_state = 'waiting' and letter_at = $2`;

const CLAIM_LETTER = `-- name: claim confirmation letter
  update confirmation_letters
  set claim_token = $1, claimed_until = $2
  where id = $3`;

const INSERT_LINK = `-- name: insert link of confirmation letter
  insert into mail_links (bucket, token_hash, address_id, expires_at)
  values ($bucket, $1, $2, $3)`;

const SETTLE_LETTER = `-- name: settle confirmation letter if claimed
  update confirmation_letters
  set is_open = false, claim_token = null
  where id = $1 and claim_token = $2 and account_id = $3
  returning address_id as "addressId", at as "atMs"`;

const NOTE_SETTLED = `-- name: note settled letter of mail address
  update mail_addresses
  set letter_state = $1
  where id = $2 and letter_at = $3 and bucket = any ($buckets)`;
