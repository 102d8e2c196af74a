/** A session for migrations: no pool, and no limits of time but those that a migration sets itself. */
import pg from "pg";
import { overClient } from "../connection/connection.ts";
import { toBeginning, clientConfig, type ConnectionOptions } from "../connection/connections.ts";
import type { MigratingSession } from "./migrate.ts";

/** Over a client that is connected. */
export function migratingSession(client: pg.Client, connections: ConnectionOptions): MigratingSession {
  return {
    async transaction(work) {
      try {
        const value = await work(overClient(client, toBeginning(connections, null)));
        await client.query("commit");
        return value;
      } catch (error) {
        // The first error tells more than a connection on which nothing can be rolled back.
        await client.query("rollback").catch(() => {});
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
  const client = new pg.Client({ ...clientConfig(connections), pipeline: true });
  // Whatever breaks is told by the query that runs.
  client.on("error", () => {});
  await client.connect();
  return { ...migratingSession(client, connections), [Symbol.asyncDispose]: () => client.end() };
}
