/** A session for migrations: no pool, and no limits of time but those that a migration sets itself. */
import type pg from "pg";
import { openTransaction } from "../connection/connection.ts";
import { toBeginning, newSession, type ConnectionOptions } from "../connection/connections.ts";
import type { MigratingSession } from "./migrate.ts";

/** Over a client that is connected. */
export function migratingSession(client: pg.Client, connections: ConnectionOptions): MigratingSession {
  return {
    async transaction(work) {
      const open = openTransaction(client, toBeginning(connections, null));
      // Where nothing was asked, the server would note a warning in its log.
      const end = async (how: "commit" | "rollback") => void (open.hasBegun() && (await client.query(how)));
      try {
        const value = await work(open.db);
        await end("commit");
        return value;
      } catch (error) {
        // The first error tells more than a connection on which nothing can be rolled back.
        await end("rollback").catch(() => {});
        throw error;
      }
    },
    alone: async (sql) => void (await client.query(sql)),
  };
}

/** Rejects with what PostgreSQL throws. */
export async function openMigratingSession(
  connections: ConnectionOptions,
): Promise<MigratingSession & AsyncDisposable> {
  const client = newSession(connections, { pipeline: true });
  // The running query reports connection errors.
  client.on("error", () => {});
  await client.connect();
  return { ...migratingSession(client, connections), [Symbol.asyncDispose]: () => client.end() };
}
