/** Changes of a table that traffic uses: one that waits for its lock would hold up everybody behind it. */
import type { Connection } from "../connection/connection.ts";
import { isLockedOut } from "../failures.ts";
import type { MigratingSession } from "../schema/migrate.ts";

/** A minute of trying. */
const TRIES_MAX = 60;

/** In a transaction that gives up after 200 ms of waiting, and tries again when others have passed. */
export async function steppingAside(session: MigratingSession, work: (db: Connection) => Promise<void>): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      await session.transaction(async (db) => {
        await db.exec("set local lock_timeout = '200ms'");
        await work(db);
      });
      return;
    } catch (error) {
      if (!isLockedOut(error) || tries === TRIES_MAX) throw error;
      await session.alone(LET_OTHERS_PASS);
    }
  }
}

const LET_OTHERS_PASS = `-- name: let others pass before a change of a table
  select pg_sleep(0.8)`;
