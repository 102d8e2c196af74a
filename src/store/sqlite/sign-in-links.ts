/** One-time links into the dashboard, known here by a hash of their token only. */
import { daysMs } from "../../lib/duration.ts";
import type { CreateSignInLink } from "../contract/people.ts";
import { configVersionOf } from "./config-version.ts";
import type { Transaction } from "./transaction.ts";

/** A link that has run out is remembered for so long, so that whoever opens it is told why it does not work. */
const REMEMBERED_MS = daysMs(1);

/** `created` is false when there is no such account. */
export function createSignInLink(tx: Transaction, params: CreateSignInLink): { created: boolean } {
  const { accountId, person, role, tokenHash, expiresAtMs, nowMs } = params;
  if (configVersionOf(tx, accountId) === null) return { created: false };
  tx.db.run(INSERT_LINK, tokenHash, accountId, person, role, expiresAtMs, nowMs);
  return { created: true };
}

/** Exported for the test that reads its plan. */
export const DELETE_EXPIRED_LINKS = `-- name: delete sign-in links that ran out long ago
  delete from sign_in_links
  where token_hash in (select token_hash from sign_in_links where expires_at <= ? order by expires_at limit ?)`;

/** Part of the housekeeping; returns how many. */
export function deleteExpiredLinks(tx: Transaction, { nowMs, limit }: { nowMs: number; limit: number }): number {
  return tx.db.run(DELETE_EXPIRED_LINKS, nowMs - REMEMBERED_MS, limit);
}

const INSERT_LINK = `-- name: insert sign-in link
  insert into sign_in_links (token_hash, account_id, person, role, expires_at, created_at)
  values (?, ?, ?, ?, ?, ?)`;
