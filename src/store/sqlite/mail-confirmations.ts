/**
 * Confirmation letters on their way. A letter's link is made when the letter is claimed: its token is known to the node
 * that sends it alone, and a node that dies leaves a link behind that nobody has.
 */
import { LIMITS } from "../../domain/limits.ts";
import { LETTER_MS_MAX } from "../../domain/mail-address.ts";
import type { ClaimConfirmations, ClaimedConfirmation, SettleConfirmation } from "../contract/mail.ts";
import type { Transaction } from "./transaction.ts";

export function claimConfirmations(tx: Transaction, params: ClaimConfirmations): ClaimedConfirmation[] {
  const { nowMs, claimToken, claimUntilMs, tokenHashes } = params;
  for (const { id, addressId } of tx.db.all<OpenRow>(LIST_STALE, nowMs, nowMs - LETTER_MS_MAX, STALE_MAX)) {
    tx.db.run(CLOSE_LETTER, id);
    tx.db.run(NOTE_DROPPED, addressId, id, addressId);
  }
  tx.db.run(CLAIM_LETTERS, claimToken, claimUntilMs, nowMs, tokenHashes.length);
  const linkUntilMs = nowMs + LIMITS.confirmLinkMs;
  return tx.db.all<LetterRow>(LIST_CLAIMED, claimToken).map((row, place) => {
    const tokenHash = tokenHashes[place] ?? "";
    tx.db.run(INSERT_LINK, tokenHash, row.addressId, linkUntilMs);
    return { ...row, tokenHash, linkUntilMs };
  });
}

export function settleConfirmationIfClaimed(tx: Transaction, params: SettleConfirmation): void {
  const { letterId, claimToken, state } = params;
  if (tx.db.run(SETTLE_LETTER, letterId, claimToken) === 1) tx.db.run(NOTE_SETTLED, state, letterId, letterId);
}

interface OpenRow {
  readonly id: string;
  readonly addressId: string;
}

type LetterRow = Omit<ClaimedConfirmation, "tokenHash" | "linkUntilMs">;

/** At once; more are looked at by the next round. */
const STALE_MAX = 100;

/** Those that no mail server took for a day, and those whose address needs none any more. */
export const LIST_STALE = `-- name: list confirmation letters that nobody waits for
  select l.id, l.address_id as "addressId"
  from confirmation_letters l
  left join mail_addresses a on a.id = l.address_id and a.confirmed_at is null and a.stopped_at is null
    and a.removed_at is null
  where l.is_open = 1 and l.claimed_until <= ? and (l.at <= ? or a.id is null)
  order by l.claimed_until, l.id
  limit ?`;

const CLOSE_LETTER = `-- name: close confirmation letter
  update confirmation_letters
  set is_open = 0, claim_token = null
  where id = ?`;

/** Unless a later one is on its way. */
const NOTE_DROPPED = `-- name: note dropped letter of mail address
  update mail_addresses
  set letter_state = 'dropped'
  where id = ? and letter_state = 'waiting'
    and letter_at = (select at from confirmation_letters where id = ? and address_id = ?)`;

const CLAIM_LETTERS = `-- name: claim confirmation letters that nobody holds
  update confirmation_letters
  set claim_token = ?, claimed_until = ?
  where id in (
    select id
    from confirmation_letters
    where is_open = 1 and claimed_until <= ?
    order by claimed_until, id
    limit ?
  )`;

const LIST_CLAIMED = `-- name: list claimed confirmation letters
  select l.id as "letterId", a.id as "addressId", a.address, a.account_id as "accountId", c.name as "accountName",
    a.sealed_stop as "sealedStop"
  from confirmation_letters l
  join mail_addresses a on a.id = l.address_id
  join accounts c on c.id = a.account_id
  where l.is_open = 1 and l.claim_token = ? and a.confirmed_at is null and a.stopped_at is null
    and a.removed_at is null
  order by l.id`;

const INSERT_LINK = `-- name: insert link of confirmation letter
  insert into mail_links (token_hash, address_id, expires_at)
  values (?, ?, ?)`;

const SETTLE_LETTER = `-- name: settle confirmation letter if claimed
  update confirmation_letters
  set is_open = 0, claim_token = null
  where id = ? and claim_token = ?`;

const NOTE_SETTLED = `-- name: note settled letter of mail address
  update mail_addresses
  set letter_state = ?
  where id = (select address_id from confirmation_letters where id = ?)
    and letter_at = (select at from confirmation_letters where id = ?)`;
