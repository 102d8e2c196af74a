/** Work on tables that may be on their way to the workers: some are distributed already, and others not yet. */
import type { Connection } from "../connection/connection.ts";
import { isBetweenServers } from "../failures.ts";

/** Within a transaction that goes on: where the work cannot be done now, nothing of it stays. */
export async function unlessBetweenServers(db: Connection, work: () => Promise<void>): Promise<void> {
  await db.exec("savepoint between_servers");
  try {
    await work();
    await db.exec("release savepoint between_servers");
  } catch (error) {
    if (!isBetweenServers(error)) throw error;
    await db.exec("rollback to savepoint between_servers");
  }
}
