/**
 * The store on PostgreSQL: any number of nodes on one database. Accepts and settlements go through group commits, the
 * other verbs each have a transaction of their own; what people look at and housekeeping have connections apart.
 */
import pg from "pg";
import type { Clock } from "../../lib/clock.ts";
import { secondsMs } from "../../lib/duration.ts";
import { type Call, type VerbAnswer, type VerbParams, settle, storeOver } from "../calls.ts";
import type { VerbName } from "../contract/verbs.ts";
import { type CommitInfo, createGroupCommit, type GroupCommit } from "../group-commit.ts";
import { type Store, StoreUnavailable } from "../contract/store.ts";
import { VERB_KINDS } from "../contract/verbs.ts";
import { type AttemptColumns, packAttempt } from "./attempts.ts";
import { createCallOrder } from "./call-order.ts";
import { ON_CITUS } from "./citus/ready.ts";
import { loadShardGroups } from "./citus/shards.ts";
import { commitCalls } from "./commit-calls.ts";
import {
  toBeginning,
  clientConfig,
  type ConnectionOptions,
  describeUrl,
  dropIdle,
  openPool,
  PATH_POOL,
  type Pooler,
  type PoolSize,
  SIDE_POOL,
} from "./connections.ts";
import { createDatabaseClock, type DatabaseClock } from "./database-clock.ts";
import { createDispatch } from "./dispatch.ts";
import { type Group, type Groups, ONE_GROUP, toGroups } from "./groups.ts";
import type { Where } from "./bucket-text.ts";
import { foldTurn } from "./fold-tallies.ts";
import { openHints, type Hints, NO_HINTS } from "./hints.ts";
import { ASK_TIME } from "./inspect.ts";
import { endLease, endTakenLeases, takeEndedLeases } from "./leases.ts";
import { migrate } from "./migrate.ts";
import { migratingSession, openMigratingSession } from "./migrating-session.ts";
import { openingError } from "./opening-error.ts";
import { type Server, assertServerIsUsable, assertServerTakesWrites, loadServer } from "./server.ts";
import { keepDays } from "./purge.ts";
import { JOINED_VERBS, type JoinedVerb } from "./verbs.ts";
import { commit, type Database, newMemory } from "./transaction.ts";

export interface OpenPostgresStore {
  /** `postgres://…` */
  readonly url: string;
  /** The pooler in front of the server; nothing unless given. */
  readonly pooler?: Pooler;
  readonly clock: Clock;
  /** Called after each commit of accepts or settlements. */
  readonly onCommit?: (info: CommitInfo) => void;
  /** For tests; what lies together otherwise: the shards of a database with Citus, and all buckets of another one. */
  readonly groups?: readonly Group[];
  /**
   * Called when a node has made something due that it does not hold itself: a claim may find it. Never called behind a
   * pooler, where no node can listen: there the next tick finds it.
   */
  readonly onHint?: () => void;
}

export interface PostgresStore {
  readonly store: Store;
  /** The database's, for everything on this node that the store's instants are compared with. Ends with the store. */
  readonly clock: Clock;
}

/**
 * Rejects with `StoreUnusable` (no such database, no rights, too new, a server that cannot keep promises) or
 * `StoreUnavailable` (it cannot be reached now).
 */
export async function openPostgresStore(options: OpenPostgresStore): Promise<PostgresStore> {
  const { url, pooler = "none", clock, onCommit = () => {}, onHint = null } = options;
  const databaseClock = createDatabaseClock(clock);
  const found = await prepare({ url, pooler, forcesSync: false }, databaseClock);
  const isOnCitus = found.shardGroups !== null;
  const connections: ConnectionOptions = {
    url,
    pooler,
    forcesSync: !found.server.syncsCommits,
    ...(isOnCitus ? { name: ON_CITUS, isOnCitus } : {}),
  };
  const lists = options.groups ?? found.shardGroups;
  const groups = lists === null ? ONE_GROUP : toGroups(lists);
  const { path, side } = openDatabase(connections, groups);
  const following = databaseClock.follow(() => askTime(side.pool));
  const send = (sql: string): void => void side.pool.query(sql).catch(() => {});
  const hints = pooler === "none" ? openHints({ connections, clock, send, onHint }) : NO_HINTS;
  const access = openAccess({ path, side, groups, clock, onCommit, hints });
  const store = storeOver({
    packAttempt,
    call: access.call,
    async close() {
      following[Symbol.dispose]();
      await access.drained();
      // Where the database is away, other nodes take it over when it has ended.
      await endLease(path).catch(() => {});
      await hints.close();
      await Promise.all([path.pool.end(), side.pool.end()]);
    },
  });
  return { store, clock: databaseClock.clock };
}

/** The same database by two ways, so that what people look at never keeps an event waiting. */
function openDatabase(
  connections: ConnectionOptions,
  groups: Groups,
): { readonly path: Database; readonly side: Database } {
  const node = newMemory();
  const onReadOnly = (): void => [path, side].forEach(({ pool }) => dropIdle(pool));
  const open = (size: PoolSize): Database => ({
    pool: openPool(connections, size),
    beginning: toBeginning(connections, size),
    node,
    groups,
    onReadOnly,
  });
  const path = open(PATH_POOL);
  const side = open(SIDE_POOL);
  return { path, side };
}

interface Found {
  readonly server: Server;
  readonly shardGroups: readonly Group[] | null;
}

/** Looks at the server and its clock, and migrates, on a connection that is closed afterwards. */
async function prepare(connections: ConnectionOptions, { clock, measure }: DatabaseClock): Promise<Found> {
  const place = describeUrl(connections.url);
  const client = new pg.Client({ ...clientConfig(connections), pipeline: true });
  // Whatever breaks is told by the query that runs.
  client.on("error", () => {});
  try {
    await client.connect();
    const session = migratingSession(client, connections);
    const server = await session.transaction(() => loadServer(client));
    assertServerIsUsable(server, place, connections.pooler);
    assertServerTakesWrites(server, place);
    await measure(() => askTime(client));
    const openKeeper = () => openMigratingSession(connections);
    await migrate({ session, openKeeper }, { place, nowMs: clock.nowMs() });
    return { server, shardGroups: await session.transaction(loadShardGroups) };
  } catch (error) {
    throw openingError(place, error);
  } finally {
    await client.end();
  }
}

async function askTime(asked: Pick<pg.Client, "query"> | pg.Pool): Promise<number> {
  const { rows } = await asked.query<{ nowMs: number }>(ASK_TIME);
  return rows[0]?.nowMs ?? Number.NaN;
}

/** Where calls go. */
interface Access {
  call(call: Call<AttemptColumns>): Promise<VerbAnswer<VerbName>>;
  /** Resolves when nothing waits and nothing runs. */
  drained(): Promise<void>;
}

interface AccessOptions extends Required<Pick<OpenPostgresStore, "clock" | "onCommit">> {
  readonly hints: Pick<Hints, "noteDone">;
  readonly path: Database;
  readonly side: Database;
  readonly groups: Groups;
}

/** Callers who wait for a connection; more are told to come back. */
const CALLS_WAITING_MAX = 1_000;

/**
 * As long as a turn of tallies. Who reads counters reads what is not added up row by row, a row for each commit: those
 * of two turns at most.
 */
const FOLDED_EVERY_MS = secondsMs(10);

/** True when the last time is so long ago. */
function every(spanMs: number, clock: Clock): () => boolean {
  let lastMs = clock.monotonicMs();
  return () => {
    const nowMs = clock.monotonicMs();
    if (nowMs < lastMs + spanMs) return false;
    lastMs = nowMs;
    return true;
  };
}

async function foldAll(side: Database, { all, where }: Groups): Promise<void> {
  for (const group of all) while (await commit(side, foldTurn, where(group)));
}

type Joined = GroupCommit<AttemptColumns>;

const isJoined = (verb: VerbName): verb is JoinedVerb => verb in JOINED_VERBS;

/**
 * Around a call that goes from group to group: a claim takes over leases that have ended, and a purge
 * makes and drops days, which are about all groups.
 */
async function aroundAll(
  { path, side }: { readonly path: Database; readonly side: Database },
  { verb, params }: Call<AttemptColumns>,
  ask: () => Promise<VerbAnswer<VerbName>>,
): Promise<VerbAnswer<VerbName>> {
  if (verb === "claimDueDeliveries") {
    const { nowMs } = params as VerbParams<"claimDueDeliveries", AttemptColumns>;
    await takeEndedLeases(path, nowMs);
    const answer = await ask();
    await endTakenLeases(path);
    return answer;
  }
  if (verb === "purge") {
    const days = await commit(side, (tx) => keepDays(tx, params as VerbParams<"purge", AttemptColumns>)).catch(
      () => null,
    );
    if (days !== null && days.isChanged) return { purged: 1, hasMore: true };
  }
  return await ask();
}

/** One commit's way there and back hides behind the others' work; more only make smaller commits. */
const GROUPS = { batchesInFlightMax: 3, besideItemsMin: 50 };

function openAccess({ path, side, groups, clock, onCommit, hints }: AccessOptions): Access {
  const joined = { acceptEvents: new Map<number, Joined>(), settleAttemptsIfClaimed: new Map<number, Joined>() };
  const order = createCallOrder();
  const isTimeToFold = every(FOLDED_EVERY_MS, clock);
  const running = new Set<Promise<unknown>>();

  /** Accepts and settlements of a group share commits with their like. */
  function join(verb: JoinedVerb, where: Where): Joined {
    const known = joined[verb].get(where.group);
    if (known !== undefined) return known;
    const queue = createGroupCommit({ ...GROUPS, commit: (calls) => commitCalls(path, calls, where), onCommit });
    joined[verb].set(where.group, queue);
    return queue;
  }

  async function single(call: Call<AttemptColumns>, where: Where): Promise<VerbAnswer<VerbName>> {
    const database = VERB_KINDS[call.verb] === "side" ? side : path;
    if (database.pool.waitingCount >= CALLS_WAITING_MAX) {
      throw new StoreUnavailable(`${CALLS_WAITING_MAX} calls already wait for the database`);
    }
    const [answer] = await commitCalls(database, [call], where);
    return await new Promise((resolve, reject) => settle({ resolve, reject }, answer));
  }

  const dispatch = createDispatch({
    groups,
    clock,
    run: (call, where) => (isJoined(call.verb) ? join(call.verb, where).call(call) : single(call, where)),
    aroundAll: (call, ask) => aroundAll({ path, side }, call, ask),
  });

  function run(call: Call<AttemptColumns>): Promise<VerbAnswer<VerbName>> {
    if (call.verb === "acceptEvents") return order.accept(() => dispatch(call));
    return VERB_KINDS[call.verb] === "set-up" ? order.change(() => dispatch(call)) : dispatch(call);
  }

  /** Where it fails, the next one does it: what is not added up is read all the same. */
  function fold(): void {
    const folding = foldAll(side, groups).catch(() => {});
    running.add(folding);
    void folding.then(() => running.delete(folding));
  }

  return {
    call(call) {
      const answer = run(call);
      running.add(answer);
      const end = (): void => void running.delete(answer);
      answer
        .then(
          (value) => hints.noteDone(call, value),
          () => {},
        )
        .then(end, end);
      if (call.verb === "settleAttemptsIfClaimed" && isTimeToFold()) fold();
      return answer;
    },
    async drained() {
      while (running.size > 0) await Promise.allSettled(running);
    },
  };
}
