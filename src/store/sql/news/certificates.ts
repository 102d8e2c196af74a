/** Ends of client certificates: which are not noted yet, and what a digest asks about them. */
import type { Authentication } from "../../../domain/authentication.ts";
import { CERTIFICATE_NEWS_DAYS } from "../../../domain/certificate-news.ts";
import { daysMs } from "../../../lib/duration.ts";
import type { NoteCertificateEnd, UnreadCertificate } from "../../contract/certificates.ts";
import type { SqlTransaction } from "../transaction.ts";

export async function listUnreadCertificates(
  tx: SqlTransaction,
  { limit }: { readonly limit: number },
): Promise<UnreadCertificate[]> {
  const rows = await tx.db.all<UnreadRow>(LIST_UNREAD, limit);
  return rows.map(({ authentication, ...row }) => ({ ...row, chain: readChain(authentication) }));
}

export async function noteCertificateEnd(
  tx: SqlTransaction,
  { destinationId, chain, endsAtMs }: NoteCertificateEnd,
): Promise<void> {
  const row = await tx.db.get<{ authentication: string | null }>(LOCK_AUTHENTICATION, destinationId);
  if (row === undefined || row.authentication === null || readChain(row.authentication) !== chain) return;
  await tx.db.run(NOTE_END, endsAtMs ?? NONE, destinationId);
}

interface UnreadRow extends Omit<UnreadCertificate, "chain"> {
  readonly authentication: string;
}

const readChain = (authentication: string): string | null =>
  (JSON.parse(authentication) as Authentication).certificate?.chain ?? null;

/** A destination that presents none has been read too. This is long before any end that is asked for. */
const NONE = 0;

/** The latest instant before `now` at which its owner was to be told; null before the first. */
export const lastTold = (ends: string, now: string): string =>
  `case ${CERTIFICATE_NEWS_DAYS.toReversed()
    .map((days) => `when ${ends} - ${daysMs(days)} <= ${now} then ${ends} - ${daysMs(days)}`)
    .join(" ")} end`;

/** Exported for the test that reads its plan. */
export const LIST_UNREAD = `-- name: list certificates whose end is not noted
  select account_id as "accountId", id as "destinationId", authentication
  from destinations
  where authentication is not null and certificate_ends_at is null and bucket = any ($buckets)
  limit $1`;

const LOCK_AUTHENTICATION = `-- name: lock authentication of destination
  select authentication
  from destinations
  where id = $1 and bucket = any ($buckets)
  for no key update`;

const NOTE_END = `-- name: note end of certificate
  update destinations
  set certificate_ends_at = $1
  where id = $2 and bucket = any ($buckets)`;
