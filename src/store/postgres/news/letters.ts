/**
 * Confirmation letters where accounts lie in several groups: the letters stand on one server, their addresses and links
 * with their accounts. So each group gives out its own, and one that is away keeps no other's letters back.
 */
import { bucketOf } from "../../../lib/bucket.ts";
import type { LetterRow, ListFree } from "../../sql/news/mail-confirmations.ts";
import type { Transaction } from "../transaction.ts";

/** Letters that wait are few: each account may ask for a handful. */
const ACCOUNTS_MAX = 10_000;

/** Accounts with a letter that no node holds. */
export async function listWaitingFor(tx: Transaction, nowMs: number): Promise<string[]> {
  const rows = await tx.db.all<{ accountId: string }>(LIST_ACCOUNTS, nowMs, ACCOUNTS_MAX);
  return rows.map(({ accountId }) => accountId);
}

/** Those of this transaction's group; nothing where there is one group. */
export function freeLettersHere(tx: Transaction): ListFree | undefined {
  if (!tx.where.isOneOfSeveral) return undefined;
  let accountIds: readonly string[] | null = null;
  return async (nowMs, limit) => {
    const { buckets } = tx.where;
    accountIds ??= (await listWaitingFor(tx, nowMs)).filter((accountId) => buckets.includes(bucketOf(accountId)));
    return accountIds.length === 0 ? [] : await tx.db.all<LetterRow>(LIST_FREE_OF, nowMs, limit, accountIds);
  };
}

const LIST_ACCOUNTS = `-- name: list accounts whose letters no node holds
  select distinct account_id as "accountId"
  from confirmation_letters
  where is_open and claimed_until <= $1
  limit $2`;

const LIST_FREE_OF = `-- name: list letters of accounts that no node holds
  select id as "letterId", account_id as "accountId", address_id as "addressId", at as "atMs"
  from confirmation_letters
  where is_open and claimed_until <= $1 and account_id = any ($3::text[])
  order by claimed_until, id
  limit $2
  for update skip locked`;
