/** A node's database on PostgreSQL beneath its store, for tests that commit calls or read without one. */
import { type PoolSize, openPool, toBeginning } from "../../../src/store/postgres/connection/connections.ts";
import { type Database, newMemory } from "../../../src/store/postgres/transaction.ts";

/** The caller ends its pool. */
export function openDatabase(url: string, size: PoolSize): Database {
  const connections = { url, pooler: "none", forcesSync: false } as const;
  return {
    pool: openPool(connections, size),
    beginning: toBeginning(connections, size),
    node: newMemory(),
    onReadOnly: () => {},
  };
}
