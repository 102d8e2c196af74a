/** A transaction on PostgreSQL: a connection for itself, from `begin` to the commit. */
import type { Pool } from "pg";
import { StoreUnavailable } from "../contract/store.ts";
import type { SqlTransaction } from "../sql/transaction.ts";
import { type Beginning, type Connection, overClient } from "./connection.ts";
import type { DestinationNow } from "../../domain/destination-now.ts";
import { isReadOnly } from "./failures.ts";

/** This node's memory between its transactions. Lost at a start, which only means looking again. */
export interface NodeMemory {
  /** The last instant of a claim, to notice a clock that was set back. */
  newestTurnMs: number;
  /** When turns that lie ahead were looked for last. */
  turnsLookedAtMs: number;
  /** Where retention goes on looking (see `purge.ts`). */
  readonly sweeps: Map<string, SweepPlace>;
}

/** The event that was looked at last. */
export interface SweepPlace {
  readonly acceptedAtMs: number;
  readonly id: string;
  /** Nothing to do there until then. */
  readonly restsUntilMs: number;
}

export const newMemory = (): NodeMemory => ({ newestTurnMs: 0, turnsLookedAtMs: -Infinity, sweeps: new Map() });

export interface Transaction extends SqlTransaction {
  readonly db: Connection;
  readonly node: NodeMemory;
  /** As they were read in this transaction; see `destination-now.ts`. */
  readonly destinations: Map<string, DestinationNow>;
  /** On any node. */
  hold(name: string): Promise<void>;
}

export interface Database {
  readonly pool: Pool;
  readonly beginning: Beginning;
  readonly node: NodeMemory;
  /** Called when the server turns out to take no writes: it became a standby, and another one is the primary. */
  readonly onReadOnly: () => void;
}

/**
 * Runs `work` and commits. A connection on which anything failed is thrown away: it may be half dead, and what a
 * statement left behind on it is unknown.
 */
export async function commit<Value>(
  { pool, beginning, node, onReadOnly }: Database,
  work: (tx: Transaction) => Promise<Value>,
): Promise<Value> {
  const client = await pool.connect();
  let isSound = false;
  try {
    const db = overClient(client, beginning);
    const hold = async (name: string): Promise<void> => void (await db.run(HOLD_NAME, name));
    const value = await work({ db, node, configVersions: new Map(), destinations: new Map(), hold });
    const { command } = await client.query("commit");
    // PostgreSQL's answer when a statement failed before and its error was not seen.
    if (command !== "COMMIT") throw new StoreUnavailable(`the transaction was rolled back (${command})`);
    isSound = true;
    return value;
  } catch (error) {
    if (isReadOnly(error)) onReadOnly();
    throw error;
  } finally {
    client.release(!isSound);
  }
}

const HOLD_NAME = `-- name: hold name until commit
  select pg_advisory_xact_lock(hashtextextended('bellwire ' || $1, 0))`;
