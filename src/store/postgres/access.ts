/**
 * Where calls go: accepts and settlements through group commits, each other verb in a transaction of its own, on the
 * connections of its kind. The settlement of a success goes with the accepts that come next.
 *
 * Changes of the set-up and accepts keep the order in which they were called, although they run on different
 * connections: a caller that saves a change and then accepts, without waiting in between, gets the change. Changes run
 * one after the other, accepts between two of them side by side.
 */
import type { Clock } from "../../lib/clock.ts";
import { secondsMs } from "../../lib/duration.ts";
import { type Answer, type Call, type Failure, settle, type VerbAnswer, type VerbParams } from "../calls.ts";
import { StoreUnavailable, type VerbName, VERBS } from "../contract/store.ts";
import type { Route } from "../contract/verb-table.ts";
import { type CommitInfo, createGroupCommit, type GroupCommit } from "../group-commit.ts";
import type { AttemptColumns } from "./attempts.ts";
import type { Where } from "./buckets/bucket-text.ts";
import { EVERYWHERE, type Group, type Groups, ONE_GROUP } from "./buckets/groups.ts";
import type { Servers } from "./buckets/servers.ts";
import { commitCalls, commitAtServer, prepareForServer } from "./commit-calls.ts";
import type { Hints } from "./connection/hints.ts";
import { createDispatch, type Dispatch, type DispatchOptions } from "./dispatch/dispatch.ts";
import type { Found, Look } from "./dispatch/looks.ts";
import { isBetweenServers, meansAway } from "./failures.ts";
import { rollUpInactive } from "./figures/attempt-deltas.ts";
import { endTakenLeases, takeEndedLeases } from "./path/leases.ts";
import { keepDays } from "./retention/purge.ts";
import { commit, commitIn, type Database, ifThere, type NodeMemory, readOnce } from "./transaction.ts";

/** Where calls go. */
export interface Access {
  call(call: Call<AttemptColumns>): Promise<VerbAnswer<VerbName>>;
  /** Resolves when nothing waits and nothing runs. */
  drained(): Promise<void>;
}

interface Databases {
  readonly path: Database;
  readonly side: Database;
}

export interface AccessOptions extends Databases, Pick<DispatchOptions, "onVisits"> {
  readonly clock: Clock;
  readonly onCommit: (info: CommitInfo) => void;
  readonly hints: Pick<Hints, "noteDone">;
  readonly groups: Groups;
  /** Those of the groups; `null` with one group. */
  readonly servers: Servers | null;
}

/** Callers who wait for a connection; more are told to come back. */
const CALLS_WAITING_MAX = 1_000;

/**
 * As long as a table of deltas is active. A reader of counters reads deltas that are not added up row by row: those
 * of two such spans at most.
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

/** Where a group fails, the next time does it: what is not added up is read all the same. */
async function rollUpAll(side: Database, { all }: Groups): Promise<void> {
  for (const group of all) {
    let hasMore = true;
    while (hasMore) hasMore = await commitIn(side, group, rollUpInactive).catch(() => false);
  }
}

/**
 * Where there are several groups, their server has to be there. A call that failed because it was away says so. What a
 * batch has done nevertheless is answered.
 */
async function commitAt(
  database: Database,
  calls: readonly Call<AttemptColumns>[],
  where: Where,
): Promise<readonly Answer[]> {
  const { servers, groups, lane = "path" } = database;
  if (servers === undefined || groups === undefined || !where.isOneOfSeveral) {
    return await commitCalls(database, calls, where);
  }
  const failure = await prepareForServer(database, calls);
  if (failure !== null) return calls.map(() => failure);
  return await servers.ask(groups.of(where.group), lane, async () => {
    const answers = await commitAtServer(database, calls, where);
    const [first] = answers;
    if (first === undefined || !isLost(first) || !answers.every(isLost)) return answers;
    throw new StoreUnavailable(first.error.message, { cause: first.error.cause });
  });
}

const isLost = (answer: Answer): answer is Failure => answer.kind === "unavailable" && meansAway(answer.error.cause);

type Joined = GroupCommit<AttemptColumns>;

/**
 * Around a call that goes from group to group: a claim takes over leases that have ended, and a purge
 * makes and drops days, which are about all groups.
 */
async function aroundAll(
  { path, side, servers }: AccessOptions,
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
  // Making a day locks its table on each server, also while one of them hangs.
  if (verb === "purge" && servers?.list().every(({ name }) => servers.isHere(name)) === true) {
    const days = await commit(side, (tx) => keepDays(tx, params as VerbParams<"purge", AttemptColumns>)).catch(
      () => null,
    );
    if (days !== null && days.isChanged) return { purged: 1, hasMore: true };
  }
  if (verb === "purge") return await ask().catch(nothingWhileDistributing);
  return await ask();
}

/** Old rows can wait until all tables that retention looks into are distributed. */
function nothingWhileDistributing(error: unknown): VerbAnswer<"purge"> {
  if (error instanceof StoreUnavailable && isBetweenServers(error.cause)) return { purged: 0, hasMore: false };
  throw error;
}

/** One commit's round trip hides behind the others' work; more only make smaller commits. */
const GROUPS = { batchesInFlightMax: 3, besideItemsMin: 100 };

/**
 * Whether a call may share a commit with accepts: it settles successes that change only their own in-memory deliveries,
 * so it waits for no lock. Any other settlement may wait for its destination's row, and accepts must not wait with it.
 */
function goesWithAccepts({ verb, params }: Call<AttemptColumns>, { inMemory }: NodeMemory): boolean {
  if (verb !== "settleAttemptsIfClaimed") return false;
  const { isPatient = false, settlements } = params as VerbParams<"settleAttemptsIfClaimed", AttemptColumns>;
  return isPatient && settlements.every(({ deliveryId }) => inMemory.succeedsAlone(deliveryId));
}

export function openAccess(options: AccessOptions): Access {
  const { path, side, groups, servers, clock, onVisits, hints } = options;
  const isTimeToRollUp = every(FOLDED_EVERY_MS, clock);
  const running = new Set<Promise<unknown>>();
  const run = createRun(options);
  const dispatch =
    servers === null
      ? toOneServer({ groups, run })
      : createDispatch({
          groups,
          servers,
          clock,
          node: path.node,
          run,
          look: (call, look, asked) => lookAt(databaseOf(options, call), { call, look, groups: asked }),
          aroundAll: (call, ask) => aroundAll(options, call, ask),
          ...(onVisits === undefined ? {} : { onVisits }),
        });

  function fold(): void {
    const folding = rollUpAll(side, groups);
    running.add(folding);
    void folding.then(() => running.delete(folding));
  }

  return {
    call(call) {
      const answer = dispatch(call);
      running.add(answer);
      const end = (): void => void running.delete(answer);
      answer
        .then(
          (value) => hints.noteDone(call, value),
          () => {},
        )
        .then(end, end);
      if (call.verb === "settleAttemptsIfClaimed" && isTimeToRollUp()) fold();
      return answer;
    },
    async drained() {
      while (running.size > 0) await Promise.allSettled(running);
    },
  };
}

/** Nothing is split or searched for: the event's path looks no bucket up. */
export function toOneServer({ groups, run }: Pick<DispatchOptions, "groups" | "run">): Dispatch {
  return async (call) => {
    // The route of a verb takes that verb's params: `storeOver`, which makes every call, made sure of it.
    const route = VERBS[call.verb].route as Route<VerbParams<VerbName, AttemptColumns>, VerbAnswer<VerbName>>;
    return await run(call, route.kind === "one bucket" ? groups.where([route.bucketOf(call.params)]) : EVERYWHERE);
  };
}

const databaseOf = ({ path, side }: Databases, { verb }: Call<AttemptColumns>): Database =>
  VERBS[verb].kind === "side" ? side : path;

function createRun(options: AccessOptions): DispatchOptions["run"] {
  const { path, onCommit } = options;
  const queues = { accepts: new Map<number, Joined>(), settlements: new Map<number, Joined>() };
  const orders = new Map<number, CallOrder>();

  /** Calls of a group share commits with their like. */
  function join(queue: keyof typeof queues, where: Where): Joined {
    const known = queues[queue].get(where.group);
    if (known !== undefined) return known;
    const commitAll = (calls: readonly Call<AttemptColumns>[]) => commitAt(path, calls, where);
    const joined = createGroupCommit({ ...GROUPS, commit: commitAll, onCommit });
    queues[queue].set(where.group, joined);
    return joined;
  }

  async function single(call: Call<AttemptColumns>, where: Where): Promise<VerbAnswer<VerbName>> {
    const database = databaseOf(options, call);
    if (database.pool.waitingCount >= CALLS_WAITING_MAX) {
      throw new StoreUnavailable(`${CALLS_WAITING_MAX} calls already wait for the database`);
    }
    const [answer] = await commitAt(database, [call], where);
    return await new Promise((resolve, reject) => settle({ resolve, reject }, answer));
  }

  /** Accepts and changes of a group keep their order. Those of another group do not wait for them. */
  function orderOf({ group }: Where): CallOrder {
    const known = orders.get(group);
    if (known !== undefined) return known;
    const order = createCallOrder();
    orders.set(group, order);
    return order;
  }

  return (call, where) => {
    if (call.verb === "acceptEvents") return orderOf(where).accept(() => join("accepts", where).call(call));
    if (goesWithAccepts(call, path.node)) return join("accepts", where).call(call);
    if (call.verb === "settleAttemptsIfClaimed") return join("settlements", where).call(call);
    if (VERBS[call.verb].kind === "set-up") return orderOf(where).change(() => single(call, where));
    return single(call, where);
  };
}

interface LookAt {
  readonly call: Call<AttemptColumns>;
  readonly look: Look<VerbName>;
  /** `null`: at the installation's own tables. */
  readonly groups: readonly Group[] | null;
}

async function lookAt(database: Database, { call, look, groups: asked }: LookAt): Promise<Found> {
  const { params } = call;
  if (asked === null) return await readOnce(database, async (tx) => (await look.askLocal?.(tx, params)) ?? []);
  const { node, groups = ONE_GROUP } = database;
  const memories = asked.map(([first = 0]) => node.ofGroup(first));
  const where = groups.where(asked.flat());
  const read = () => readOnce(database, async (tx) => (await look.ask?.(tx, params, memories)) ?? [], where);
  return await ifThere(database, asked[0] ?? [], read);
}

export interface CallOrder {
  /** Runs when everything that was called before has ended. */
  change<Value>(run: () => Promise<Value>): Promise<Value>;
  /** Runs when the changes that were called before have ended. */
  accept<Value>(run: () => Promise<Value>): Promise<Value>;
}

export function createCallOrder(): CallOrder {
  /** The last change that was called; `null` when none waits or runs. */
  let lastChange: Promise<unknown> | null = null;
  /** Accepts called since then. */
  let accepts = new Set<Promise<unknown>>();

  return {
    change(run) {
      const before = [...accepts, ...(lastChange === null ? [] : [lastChange])];
      const change = before.length === 0 ? run() : Promise.allSettled(before).then(run);
      accepts = new Set();
      lastChange = change;
      const end = (): void => {
        if (lastChange === change) lastChange = null;
      };
      change.then(end, end);
      return change;
    },
    accept(run) {
      const accept = lastChange === null ? run() : lastChange.then(run, run);
      const since = accepts;
      since.add(accept);
      const end = (): void => void since.delete(accept);
      accept.then(end, end);
      return accept;
    },
  };
}
