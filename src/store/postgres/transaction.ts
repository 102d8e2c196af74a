/** A transaction on PostgreSQL: a connection for itself, from `begin` to the commit. */
import type { Pool } from "pg";
import { BUILT_IN_TYPES, type EventTypes } from "../../events/event-types.ts";
import { StoreUnavailable } from "../contract/store.ts";
import { KeptHours } from "../sql/figures/kept-hours.ts";
import type { SqlTransaction } from "../sql/transaction.ts";
import { PassedOver } from "./connection/batch.ts";
import { type Beginning, type Connection, openTransaction } from "./connection/connection.ts";
import type { DestinationNow } from "../../domain/destination-now.ts";
import { AccountElsewhere, AccountsMoving, isReadOnly } from "./failures.ts";
import { PLAN_ANEW } from "./connection/transaction-settings.ts";
import { type CommitOutcome, InMemoryDeliveries } from "./in-memory-deliveries.ts";
import { type Fence, takeFence } from "./path/fence.ts";
import { Repeats } from "./repeats.ts";
import { type Forms, newForms } from "./schema/forms.ts";

/** This node's memory of a shard between its transactions. Lost at a start, which only means looking again. */
export interface NodeMemory {
  readonly types: EventTypes;
  /** Deliveries that this node has in memory and that have no row yet. */
  readonly inMemory: InMemoryDeliveries;
  readonly repeats: Repeats;
  readonly forms: Forms;
  /** The last instant of a claim, to notice a clock that was set back. */
  newestServedMs: number;
  /** When times of service that lie ahead were looked for last. */
  servedCheckedAtMs: number;
  /** Where retention goes on looking (see `retention/purge.ts`). */
  readonly sweeps: Map<string, SweepPlace>;
  /** Bars of whole hours that were read (see `figures/count-attempts.ts`). */
  readonly keptHours: KeptHours;
}

/** The event that was looked at last. */
export interface SweepPlace {
  readonly acceptedAtMs: number;
  readonly id: string;
  /** Nothing to do there until then. */
  readonly restsUntilMs: number;
}

export const newMemory = (forms: Forms = newForms(), types: EventTypes = BUILT_IN_TYPES): NodeMemory => ({
  types,
  inMemory: new InMemoryDeliveries(),
  repeats: new Repeats(),
  forms,
  newestServedMs: 0,
  servedCheckedAtMs: -Infinity,
  sweeps: new Map(),
  keptHours: new KeptHours(),
});

export interface Transaction extends SqlTransaction {
  readonly db: Connection;
  readonly node: NodeMemory;
  /** Resolves when the fence is held and `configVersions` has its accounts. */
  readonly fenced: Promise<void>;
  /** How often each account that the fence is about has moved here from other shards and back. */
  readonly moves: Map<string, number>;
  /** As they were read in this transaction; see `path/destination-now.ts`. */
  readonly destinations: Map<string, DestinationNow>;
  /** On any node. */
  hold(name: string): Promise<void>;
  /** A statement with an answer that decides nothing: it is waited for together with the commit. */
  later(statement: Promise<unknown>): void;
  /** Called when it has ended, in the order of the calls. */
  onEnd(note: (outcome: CommitOutcome) => void): void;
  /** Statements from here on are planned for their values, also in a transaction of the path. */
  planAnew(): void;
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
 * statement left behind on it is unknown. `fence` names what `work` is about, which stays in this shard until the
 * commit. `work` begins before the fence is held. It awaits `fenced` before a statement that a move could hold up.
 */
export function commit<Value>(database: Database, fence: Fence, work: Work<Value>): Promise<Value> {
  return run(database, work, { fence, begin: database.beginning.sql });
}

/** For accepts and settlements: kept plans will do, but for what follows `planAnew`. */
export function commitPath<Value>(database: Database, fence: Fence, work: Work<Value>): Promise<Value> {
  return run(database, work, { fence, begin: database.beginning.pathSql });
}

/** For what changes nothing, also on a database that takes no writes. PostgreSQL refuses any change in it. */
export function read<Value>(database: Database, fence: Fence, work: Work<Value>): Promise<Value> {
  return run(database, work, { fence, begin: database.beginning.readSql });
}

/** For work of one statement that only reads, where the session is ours: it is a transaction by itself. */
export function readOnce<Value>(database: Database, work: Work<Value>): Promise<Value> {
  const { keepsStatements, sql } = database.beginning;
  return run(database, work, { fence: "nothing", begin: keepsStatements ? null : sql });
}

type Work<Value> = (tx: Transaction) => Promise<Value>;

interface Run {
  readonly fence: Fence;
  /** `null`: each statement is a transaction by itself. */
  readonly begin: string | null;
}

async function run<Value>(
  { pool, beginning, node, onReadOnly }: Database,
  work: Work<Value>,
  { fence, begin }: Run,
): Promise<Value> {
  const client = await pool.connect();
  const unanswered: Promise<unknown>[] = [];
  const notes: ((outcome: CommitOutcome) => void)[] = [];
  let outcome: CommitOutcome = "rolled back";
  let isUsable = false;
  const opened = openTransaction(client, { ...beginning, sql: begin });
  try {
    const { db } = opened;
    let isPlanning = begin !== beginning.pathSql;
    const hold = async (name: string): Promise<void> => void (await db.run(HOLD_NAME, name));
    const later = (statement: Promise<unknown>): void => {
      // It is heard with the commit; until then no other node does.
      statement.catch(() => {});
      unanswered.push(statement);
    };
    const planAnew = (): void => {
      if (!isPlanning) later(db.exec(PLAN_ANEW));
      isPlanning = true;
    };
    const onEnd: Transaction["onEnd"] = (note) => void notes.push(note);
    const configVersions = new Map<string, number | null>();
    const moves = new Map<string, number>();
    const fenced = takeFence({ db, configVersions, moves }, fence);
    const { types } = node;
    const tx = {
      db,
      types,
      node,
      fenced,
      configVersions,
      moves,
      destinations: new Map(),
      hold,
      later,
      onEnd,
      planAnew,
    };
    const [value] = await endAll([work(tx), fenced]);
    outcome = "unknown";
    const [committed, ...others] = await Promise.allSettled([opened.commit(), ...unanswered]);
    // PostgreSQL's answer when a statement failed before is no error.
    if (committed.status === "fulfilled") outcome = committed.value ? "committed" : "rolled back";
    else if (committed.reason instanceof PassedOver) outcome = "rolled back";
    const failed = [...others, committed].find((ended) => ended.status === "rejected");
    if (failed !== undefined) throw failed.reason;
    if (outcome !== "committed") throw new StoreUnavailable("the transaction was rolled back");
    isUsable = true;
    return value;
  } catch (error) {
    if (isReadOnly(error)) onReadOnly();
    // Nothing has failed on it. Whoever puts a new account meets this.
    if (error instanceof AccountsMoving || error instanceof AccountElsewhere) {
      isUsable = await opened.rollback().then(...IS_DONE);
    }
    throw error;
  } finally {
    for (const note of notes) note(outcome);
    client.release(!isUsable);
  }
}

const IS_DONE = [() => true, () => false] as const;

/** Rejects with the first failure: what the server says from then on is only that the transaction has failed. */
export async function endAll<const Running extends readonly Promise<unknown>[]>(
  running: Running,
): Promise<{ -readonly [Place in keyof Running]: Awaited<Running[Place]> }> {
  try {
    return await Promise.all(running);
  } finally {
    await Promise.allSettled(running);
  }
}

const HOLD_NAME = `-- name: hold name until commit
  select pg_advisory_xact_lock(hashtextextended('bellwire ' || $1, 0))`;
