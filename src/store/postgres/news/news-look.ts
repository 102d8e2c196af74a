/** Where a digest may be due (see `../dispatch/looks.ts`, and `../../sql/news/news-digests.ts` for what is due). */
import { DIGEST_GATHER_MS, NEWS_MS_MAX } from "../../../domain/mail-address.ts";
import { ending, fromUntold, type Readers } from "../../sql/news/news-digests.ts";
import type { Transaction } from "../transaction.ts";

const ROWS_MAX = 256;

/** News that no reader has had yet, a reminder, or a certificate that ends. */
export function newsLook(table: Readers["table"]) {
  const LOOK_FOR_REMINDERS = `-- name: look for reminders of ${table}
  select r.bucket
  from ${table} r
  where r.remind_at <= $1 and r.bucket = any ($buckets)
  limit $2`;

  const LOOK_FOR_CERTIFICATES = `-- name: look for ends of certificates for ${table}
  select t.bucket
    ${fromUntold(table, { now: "$1", from: "$2", to: "$3" })}
    limit $4`;

  return {
    async ask(tx: Transaction, { nowMs }: { readonly nowMs: number }): Promise<readonly number[] | "all"> {
      const [news, reminders, certificates] = await Promise.all([
        tx.db.all<{ bucket: number }>(LOOK_FOR_NEWS, nowMs - NEWS_MS_MAX, nowMs - DIGEST_GATHER_MS, ROWS_MAX),
        tx.db.all<{ bucket: number }>(LOOK_FOR_REMINDERS, nowMs, ROWS_MAX),
        tx.db.all<{ bucket: number }>(LOOK_FOR_CERTIFICATES, nowMs, ...ending(nowMs), ROWS_MAX),
      ]);
      if (Math.max(news.length, reminders.length, certificates.length) >= ROWS_MAX) return "all";
      return [...news, ...reminders, ...certificates].map(({ bucket }) => bucket);
    },
  };
}

const LOOK_FOR_NEWS = `-- name: look for news that waits
  select n.bucket
  from failure_news n
  where n.at > $1 and n.at <= $2 and n.bucket = any ($buckets)
  limit $3`;
