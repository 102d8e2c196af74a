/**
 * Confirmation letters on their way. A letter's link is made when the letter is claimed: its token is known to the node
 * that sends it alone, and a node that dies leaves an unknown link behind.
 */
import { LIMITS } from "../../domain/limits.ts";
import { LETTER_MS_MAX } from "../../domain/mail-address.ts";
import type { ClaimConfirmations, ClaimedConfirmation, SettleConfirmation } from "../contract/mail.ts";
import type { SqlTransaction } from "./transaction.ts";

export async function claimConfirmations(
  tx: SqlTransaction,
  params: ClaimConfirmations,
): Promise<ClaimedConfirmation[]> {
  const { nowMs, claimToken, claimUntilMs, tokenHashes } = params;
  for (const { id, addressId } of await tx.db.all<OpenRow>(LIST_STALE, nowMs, nowMs - LETTER_MS_MAX, STALE_MAX)) {
    await tx.db.run(CLOSE_LETTER, id);
    await tx.db.run(NOTE_DROPPED, addressId, id, addressId);
  }
  await tx.db.run(CLAIM_LETTERS, claimToken, claimUntilMs, nowMs, tokenHashes.length);
  const linkUntilMs = nowMs + LIMITS.confirmLinkMs;
  const rows = await tx.db.all<LetterRow>(LIST_CLAIMED, claimToken);
  const claimed = rows.map((row, place) => ({ ...row, tokenHash: tokenHashes[place] ?? "", linkUntilMs }));
  for (const { tokenHash, addressId } of claimed) await tx.db.run(INSERT_LINK, tokenHash, addressId, linkUntilMs);
  return claimed;
}

export async function settleConfirmationIfClaimed(tx: SqlTransaction, params: SettleConfirmation): Promise<void> {
  const { letterId, claimToken, state } = params;
  if ((await tx.db.run(SETTLE_LETTER, letterId, claimToken)) === 1)
    await tx.db.run(NOTE_SETTLED, state, letterId, letterId);
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
  where l.is_open and l.claimed_until <= $1 and (l.at <= $2 or a.id is null)
  order by l.claimed_until, l.id
  limit $3
  for update of l skip locked`;

const CLOSE_LETTER = `-- name: close confirmation letter
  update confirmation_letters
  set is_open = false, claim_token = null
  where id = $1`;

/** Unless a later one is on its way. */
const NOTE_DROPPED = `-- name: note dropped letter of mail address
  update mail_addresses
  set letter_state = 'dropped'
  where id = $1 and letter_state = 'waiting'
    and letter_at = (select at from confirmation_letters where id = $2 and address_id = $3)`;

const CLAIM_LETTERS = `-- name: claim confirmation letters that nobody holds
  with free as materialized (
    select id
    from confirmation_letters
    where is_open and claimed_until <= $3
    order by claimed_until, id
    limit $4
    for update skip locked
  )
  update confirmation_letters
  set claim_token = $1, claimed_until = $2
  where id in (select id from free)`;

const LIST_CLAIMED = `-- name: list claimed confirmation letters
  select l.id as "letterId", a.id as "addressId", a.address, a.account_id as "accountId", c.name as "accountName",
    a.sealed_stop as "sealedStop"
  from confirmation_letters l
  join mail_addresses a on a.id = l.address_id
  join accounts c on c.id = a.account_id
  where l.is_open and l.claim_token = $1 and a.confirmed_at is null and a.stopped_at is null
    and a.removed_at is null
  order by l.id`;

const INSERT_LINK = `-- name: insert link of confirmation letter
  insert into mail_links (token_hash, address_id, expires_at)
  values ($1, $2, $3)`;

const SETTLE_LETTER = `-- name: settle confirmation letter if claimed
  update confirmation_letters
  set is_open = false, claim_token = null
  where id = $1 and claim_token = $2`;

const NOTE_SETTLED = `-- name: note settled letter of mail address
  update mail_addresses
  set letter_state = $1
  where id = (select address_id from confirmation_letters where id = $2)
    and letter_at = (select at from confirmation_letters where id = $3)`;
