/** One-time links into the dashboard, known here by a hash of their token only. */
import { storedPart } from "../../../domain/token.ts";
import { daysMs } from "../../../lib/duration.ts";
import type { CreateSignInLink } from "../../contract/people.ts";
import { findConfigVersion } from "../set-up/config-version.ts";
import type { SqlTransaction } from "../transaction.ts";

/** A link that has run out is remembered for a while, so that its page can say why it does not work. */
const REMEMBERED_MS = daysMs(1);

/** `created` is false when there is no such account. */
export async function createSignInLink(tx: SqlTransaction, params: CreateSignInLink): Promise<{ created: boolean }> {
  const { accountId, person, role, purpose = "dashboard", tokenHash, expiresAtMs, nowMs } = params;
  if ((await findConfigVersion(tx, accountId)) === null) return { created: false };
  await tx.db.run(INSERT_LINK, accountId, storedPart(tokenHash), person, role, purpose, expiresAtMs, nowMs);
  return { created: true };
}

/** Exported for the test that reads its plan. */
export const DELETE_EXPIRED_LINKS = `-- name: delete sign-in links that ran out long ago
  with expired as materialized (
    select token_hash
    from sign_in_links
    where expires_at <= $1 and bucket = any ($buckets)
    order by expires_at
    limit $2
  )
  delete from sign_in_links
  where token_hash in (select token_hash from expired) and bucket = any ($buckets)`;

/** Part of the housekeeping; returns how many. */
export async function deleteExpiredLinks(
  tx: SqlTransaction,
  { nowMs, limit }: { nowMs: number; limit: number },
): Promise<number> {
  return await tx.db.run(DELETE_EXPIRED_LINKS, nowMs - REMEMBERED_MS, limit);
}

const INSERT_LINK = `-- name: insert sign-in link
  insert into sign_in_links (bucket, account_id, token_hash, person, role, purpose, expires_at, created_at)
  values ($bucket, $1, $2, $3, $4, $5, $6, $7)`;
