/**
 * Work that locks a table which traffic uses: a transaction that waits for such a lock holds up everybody behind it, so
 * it waits for 200 ms at most and gives up.
 */
import type { Connection } from "./connection.ts";
import { isRefusedForNow } from "../failures.ts";

/** Within a transaction that goes on, whatever becomes of `work`. */
export async function withoutQueueing(db: Connection, work: () => Promise<boolean>): Promise<boolean> {
  const before = (await db.get<{ timeout: string }>(FIND_LOCK_TIMEOUT))?.timeout ?? "0";
  await db.exec("savepoint unqueued");
  await db.get(SET_LOCK_TIMEOUT, LOCK_TIMEOUT);
  try {
    const isDone = await work();
    await db.get(SET_LOCK_TIMEOUT, before);
    // A statement that was called off lets go of its locks: the transaction may go on for long.
    await db.exec(isDone ? "release savepoint unqueued" : "rollback to savepoint unqueued");
    return isDone;
  } catch (error) {
    if (!isRefusedForNow(error)) throw error;
    await db.exec("rollback to savepoint unqueued");
    return false;
  }
}

const LOCK_TIMEOUT = "200ms";

const FIND_LOCK_TIMEOUT = `-- name: find lock timeout
  select current_setting('lock_timeout') as timeout`;

const SET_LOCK_TIMEOUT = `-- name: set lock timeout
  select set_config('lock_timeout', $1, true)`;
