/** One-time links into the dashboard, known here by a hash of their token only. */
import type { CreateSignInLink } from "../store.ts";
import { configVersionOf } from "./config-version.ts";
import type { Transaction } from "./transaction.ts";

/** `created` is false when there is no such account. Links that have run out go at the same time: nobody needs them. */
export function createSignInLink(tx: Transaction, params: CreateSignInLink): { created: boolean } {
  const { accountId, tokenHash, expiresAtMs, nowMs } = params;
  if (configVersionOf(tx, accountId) === null) return { created: false };
  tx.db.run(DELETE_EXPIRED_LINKS, nowMs);
  tx.db.run(INSERT_LINK, tokenHash, accountId, expiresAtMs, nowMs);
  return { created: true };
}

const DELETE_EXPIRED_LINKS = `-- name: delete sign-in links that have run out
  delete from sign_in_links
  where expires_at <= ?`;

const INSERT_LINK = `-- name: insert sign-in link
  insert into sign_in_links (token_hash, account_id, expires_at, created_at)
  values (?, ?, ?, ?)`;
