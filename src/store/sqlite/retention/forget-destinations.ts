/** The end of deleted destinations: each is looked for in the log by itself. */
import type { Purge } from "../../contract/log.ts";
import type { Transaction } from "../transaction.ts";

export const forgetDestinations = (tx: Transaction, { rowsBeforeMs }: Purge, limit: number): number =>
  tx.db.run(FORGET_DESTINATIONS, rowsBeforeMs, limit);

/** Exported for the test that reads its plan. */
export const FORGET_DESTINATIONS = `-- name: forget deleted destinations that nothing names
  delete from destinations
  where rowid in (
    select rowid from destinations t
    where deleted_at < ? and not exists (select 1 from deliveries where destination_id = t.id and is_test = 0)
    order by deleted_at
    limit ?
  )`;
