/** A transaction on PostgreSQL: a connection for itself, from `begin` to the commit. */
import type { Pool } from "pg";
import { StoreUnavailable } from "../contract/store.ts";
import type { Purge } from "../contract/log.ts";
import { KeptHours } from "../sql/figures/kept-hours.ts";
import type { SqlTransaction } from "../sql/transaction.ts";
import { PassedOver } from "./connection/batch.ts";
import { type Beginning, type Connection, openTransaction } from "./connection/connection.ts";
import type { DestinationNow } from "../../domain/destination-now.ts";
import { isReadOnly } from "./failures.ts";
import { EVERYWHERE, type Group, type Groups, ONE_GROUP } from "./buckets/groups.ts";
import type { Lane } from "./buckets/server-watch.ts";
import type { Servers } from "./buckets/servers.ts";
import type { Where } from "./buckets/bucket-text.ts";
import { PLAN_ANEW } from "./connection/transaction-settings.ts";
import { type CommitOutcome, InMemoryDeliveries } from "./in-memory-deliveries.ts";
import { Repeats } from "./repeats.ts";
import { type Forms, newForms } from "./schema/forms.ts";

/** This node's memory between its transactions. Lost at a start, which only means looking again. */
export interface NodeMemory {
  /** Deliveries that this node has in memory and that have no row yet. */
  readonly inMemory: InMemoryDeliveries;
  readonly repeats: Repeats;
  readonly forms: Forms;
  /** The memory that each group has apart, by its first bucket. */
  ofGroup(group: number): GroupMemory;
}

export interface GroupMemory {
  /** The last instant of a claim, to notice a clock that was set back. */
  newestServedMs: number;
  /** When times of service that lie ahead were looked for last. */
  servedCheckedAtMs: number;
  /** For looks at several groups (`dispatch/looks.ts`): search knows of no new event here until then. */
  indexedToMs: number;
  /** When its index of search was looked through last. */
  indexVisitedMs: number;
  /** The last purge, where it found nothing. */
  purged: Purge | null;
  /** Where retention goes on looking (see `retention/purge.ts`). */
  readonly sweeps: Map<string, SweepPlace>;
  /** Bars of whole hours that were read (see `figures/count-attempts.ts`). */
  readonly keptHours: KeptHours;
  /** The node's. */
  readonly inMemory: InMemoryDeliveries;
  /** The node's. */
  readonly repeats: Repeats;
  /** The node's. */
  readonly forms: Forms;
}

/** The event that was looked at last. */
export interface SweepPlace {
  readonly acceptedAtMs: number;
  readonly id: string;
  /** Nothing to do there until then. */
  readonly restsUntilMs: number;
}

export function newMemory(forms: Forms = newForms()): NodeMemory {
  const ofNode: OfNode = { inMemory: new InMemoryDeliveries(), repeats: new Repeats(), forms };
  const byGroup = new Map<number, GroupMemory>();
  return {
    inMemory: ofNode.inMemory,
    repeats: ofNode.repeats,
    forms,
    ofGroup(group) {
      const memory = byGroup.get(group) ?? newGroupMemory(ofNode);
      byGroup.set(group, memory);
      return memory;
    },
  };
}

type OfNode = Pick<GroupMemory, "inMemory" | "repeats" | "forms">;

const newGroupMemory = (ofNode: OfNode): GroupMemory => ({
  newestServedMs: 0,
  servedCheckedAtMs: -Infinity,
  indexedToMs: 0,
  indexVisitedMs: -Infinity,
  purged: null,
  sweeps: new Map(),
  keptHours: new KeptHours(),
  ...ofNode,
});

export interface Transaction extends SqlTransaction {
  readonly db: Connection;
  readonly node: GroupMemory;
  /** Where its statements look: some buckets of one group. */
  readonly where: Where;
  inBucket(bucket: number): Connection;
  /** As they were read in this transaction; see `path/destination-now.ts`. */
  readonly destinations: Map<string, DestinationNow>;
  /** On any node. */
  hold(name: string): Promise<void>;
  /** A statement with an answer that decides nothing: it is waited for together with the commit. */
  later(statement: Promise<unknown>): void;
  /** Called when it has ended, in the order of the calls. */
  onEnd(note: (outcome: CommitOutcome) => void): void;
  /** Statements from here on are planned for their values, also in a transaction of the path. */
  planAnew(): Promise<void>;
}

export interface Database {
  readonly pool: Pool;
  readonly beginning: Beginning;
  readonly node: NodeMemory;
  /** One unless the database is spread over servers. */
  readonly groups?: Groups;
  /** Those of the groups, where there are several. */
  readonly servers?: Servers;
  /** The purpose of its connections; the event's path unless given. */
  readonly lane?: Lane;
  /** Called when the server turns out to take no writes: it became a standby, and another one is the primary. */
  readonly onReadOnly: () => void;
}

/**
 * Runs `work` and commits. A connection on which anything failed is thrown away: it may be half dead, and what a
 * statement left behind on it is unknown.
 */
export function commit<Value>(database: Database, work: Work<Value>, where = EVERYWHERE): Promise<Value> {
  return run(database, work, { where, begin: database.beginning.sql });
}

/** In one of several groups, if its server is there; `AccountAway` otherwise. */
export const commitIn = <Value>(database: Database, group: Group, work: Work<Value>): Promise<Value> =>
  ifThere(database, group, () => commit(database, work, (database.groups ?? ONE_GROUP).where(group)));

export const ifThere = <Value>(database: Database, group: Group, ask: () => Promise<Value>): Promise<Value> =>
  database.servers === undefined ? ask() : database.servers.ask(group, database.lane ?? "path", ask);

/** For accepts and settlements: kept plans will do, but for what follows `planAnew`. */
export function commitPath<Value>(database: Database, work: Work<Value>, where = EVERYWHERE): Promise<Value> {
  return run(database, work, { where, begin: database.beginning.pathSql ?? database.beginning.sql });
}

/** For work of one statement that only reads, where the session is ours: it is a transaction by itself. */
export function readOnce<Value>(database: Database, work: Work<Value>, where = EVERYWHERE): Promise<Value> {
  const { keepsStatements, sql } = database.beginning;
  return run(database, work, { where, begin: keepsStatements ? null : sql });
}

type Work<Value> = (tx: Transaction) => Promise<Value>;

interface Run {
  readonly where: Where;
  /** `null`: each statement is a transaction by itself. */
  readonly begin: string | null;
}

async function run<Value>(
  { pool, beginning, node, groups = ONE_GROUP, onReadOnly }: Database,
  work: Work<Value>,
  { where, begin }: Run,
): Promise<Value> {
  const client = await pool.connect();
  const unanswered: Promise<unknown>[] = [];
  const notes: ((outcome: CommitOutcome) => void)[] = [];
  let outcome: CommitOutcome = "rolled back";
  try {
    const opened = openTransaction(client, { ...beginning, sql: begin });
    const db = opened.inBuckets(where);
    let isPlanning = begin === null || begin === beginning.sql;
    const planAnew = async (): Promise<void> => {
      if (isPlanning) return;
      isPlanning = true;
      await db.exec(PLAN_ANEW);
    };
    const hold = async (name: string): Promise<void> => void (await db.run(HOLD_NAME, name));
    const later = (statement: Promise<unknown>): void => {
      // It is heard with the commit; until then no other node does.
      statement.catch(() => {});
      unanswered.push(statement);
    };
    const onEnd: Transaction["onEnd"] = (note) => void notes.push(note);
    const value = await work({
      db,
      node: node.ofGroup(where.group),
      where,
      inBucket: (bucket) => opened.inBuckets(groups.where([bucket])),
      configVersions: new Map(),
      destinations: new Map(),
      hold,
      later,
      onEnd,
      planAnew,
    });
    outcome = "unknown";
    const [committed, ...others] = await Promise.allSettled([opened.commit(), ...unanswered]);
    // PostgreSQL's answer when a statement failed before is no error.
    if (committed.status === "fulfilled") outcome = committed.value ? "committed" : "rolled back";
    else if (committed.reason instanceof PassedOver) outcome = "rolled back";
    const failed = [...others, committed].find((ended) => ended.status === "rejected");
    if (failed !== undefined) throw failed.reason;
    if (outcome !== "committed") throw new StoreUnavailable("the transaction was rolled back");
    return value;
  } catch (error) {
    if (isReadOnly(error)) onReadOnly();
    throw error;
  } finally {
    for (const note of notes) note(outcome);
    client.release(outcome !== "committed");
  }
}

const HOLD_NAME = `-- name: hold name until commit
  select pg_advisory_xact_lock(hashtextextended('bellwire ' || $1, 0))`;
