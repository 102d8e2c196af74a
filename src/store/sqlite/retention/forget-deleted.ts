/** The end of deleted destinations and alerts: each destination is looked for in the log by itself. */
import type { Purge } from "../../contract/log.ts";
import type { Transaction } from "../transaction.ts";

export function forgetDeleted(tx: Transaction, { rowsBeforeMs }: Purge, limit: number): number {
  const destinations = tx.db.run(FORGET_DESTINATIONS, rowsBeforeMs, limit);
  return destinations + tx.db.run(FORGET_ALERTS, rowsBeforeMs, limit - destinations);
}

/** Exported for the test that reads its plan, like the next one. */
export const FORGET_DESTINATIONS = `-- name: forget deleted destinations that nothing names
  delete from destinations
  where rowid in (
    select rowid from destinations t
    where deleted_at < ? and not exists (select 1 from deliveries where destination_id = t.id and is_test = 0)
    order by deleted_at
    limit ?
  )`;

export const FORGET_ALERTS = `-- name: forget deleted alerts that nothing names
  with nameless as materialized (
    select a.account_id, a.id
    from alerts a
    where a.deleted_at < ? and not exists (select 1 from destinations where id = a.destination_id)
    order by a.deleted_at
    limit ?
  )
  delete from alerts
  where (account_id, id) in (select account_id, id from nameless)`;
