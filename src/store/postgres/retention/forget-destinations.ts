/** The end of deleted destinations, behind the refused records of the inbox: some are looked for in the log at once. */
import type { Purge } from "../../contract/log.ts";
import { idsBetween, isInDays, orUndated, toPlaceholders, SLACK_MS } from "../days.ts";
import { purgeRefusedRecords } from "./refused-records.ts";
import type { Transaction } from "../transaction.ts";

export async function forgetDestinations(tx: Transaction, params: Purge, limit: number): Promise<number> {
  const refused = await purgeRefusedRecords(tx, params, limit);
  return refused + (await forgetNameless(tx, params, limit - refused));
}

/**
 * All of its deliveries are older than its deletion; those that are still there lie in days that could not be dropped.
 */
async function forgetNameless(tx: Transaction, { nowMs, rowsBeforeMs }: Purge, limit: number): Promise<number> {
  const deleted = (await tx.db.all<{ id: string }>(LIST_DELETED_LONG_AGO, rowsBeforeMs, limit)).map(({ id }) => id);
  if (deleted.length === 0) return 0;
  const ids = orUndated("dlv", idsBetween("dlv", 0, rowsBeforeMs + SLACK_MS), nowMs);
  return await tx.db.run(FORGET_DESTINATIONS, deleted, ...toPlaceholders(ids));
}

const LIST_DELETED_LONG_AGO = `-- name: list destinations deleted long ago
  select d.id
  from destinations d
  where d.deleted_at < $1 and d.bucket = any ($buckets)
  order by deleted_at
  limit $2`;

const FORGET_DESTINATIONS = `-- name: forget deleted destinations that nothing names
  delete from destinations t
  where t.id = any ($1::text[]) and t.bucket = any ($buckets) and not exists (
    select 1
    from deliveries d
    where d.destination_id = t.id and not d.is_test and ${isInDays("d", 2)} and d.bucket = any ($buckets)
  )`;
