/**
 * Where a shard's calls go: accepts and settlements through group commits, each other verb in a transaction of its own,
 * on the connections of its kind. The settlement of a success goes with the accepts that come next.
 *
 * Changes of the set-up and accepts keep the order in which they were called, although they run on different
 * connections: a caller that saves a change and then accepts, without waiting in between, gets the change. Changes run
 * one after the other, accepts between two of them side by side.
 */
import type { Clock } from "../../lib/clock.ts";
import { secondsMs } from "../../lib/duration.ts";
import { type Answer, settle, type VerbAnswer, type VerbParams } from "../calls.ts";
import { StoreUnavailable, type VerbName, VERBS } from "../contract/store.ts";
import { type CommitInfo, createGroupCommit } from "../group-commit.ts";
import type { AttemptColumns } from "./attempts.ts";
import { createApart, whenMoved } from "./apart.ts";
import { commitCalls, isJoinedCall, type PostgresCall } from "./commit-calls.ts";
import type { Hints } from "./connection/hints.ts";
import { AccountsMoving } from "./failures.ts";
import { rollUpInactive } from "./figures/attempt-deltas.ts";
import { commit, type Database, type NodeMemory } from "./transaction.ts";

/** Where calls go. */
export interface Access {
  /** Rejects with `AccountElsewhere` where an account that the call is about is not in this shard. */
  call(call: PostgresCall): Promise<VerbAnswer<VerbName>>;
  /** Resolves when nothing waits and nothing runs. */
  drained(): Promise<void>;
}

export interface AccessOptions {
  readonly path: Database;
  readonly side: Database;
  /** Where accepts and settlements go: the path's, or another one of the same memory. */
  readonly commits: () => Database;
  readonly clock: Clock;
  readonly onCommit: (info: CommitInfo) => void;
  readonly hints: Pick<Hints, "noteDone">;
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

/** Where it fails, the next time does it: what is not added up is read all the same. */
async function rollUpAll(side: Database): Promise<void> {
  let hasMore = true;
  while (hasMore) hasMore = await commit(side, "shard", rollUpInactive).catch(() => false);
}

/** One commit's round trip hides behind the others' work; more only make smaller commits. */
const GROUPS = { batchesInFlightMax: 3, besideItemsMin: 100 };

/**
 * Whether a call may share a commit with accepts: it settles successes that change only their own in-memory deliveries,
 * so it waits for no lock. Any other settlement may wait for its destination's row, and accepts must not wait with it.
 */
function goesWithAccepts({ verb, params }: PostgresCall, { inMemory }: NodeMemory): boolean {
  if (verb !== "settleAttemptsIfClaimed") return false;
  const { isPatient = false, settlements } = params as VerbParams<"settleAttemptsIfClaimed", AttemptColumns>;
  return isPatient && settlements.every(({ deliveryId }) => inMemory.succeedsAlone(deliveryId));
}

export function openAccess(options: AccessOptions): Access {
  const { side, clock, hints } = options;
  const isTimeToRollUp = every(FOLDED_EVERY_MS, clock);
  const running = new Set<Promise<unknown>>();
  const run = createRun(options);

  function fold(): void {
    const folding = rollUpAll(side);
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
      if (call.verb === "settleAttemptsIfClaimed" && isTimeToRollUp()) fold();
      return answer;
    },
    async drained() {
      while (running.size > 0) await Promise.allSettled(running);
    },
  };
}

function createRun({ path, side, commits, onCommit }: AccessOptions): Access["call"] {
  const commitAll = (calls: readonly PostgresCall[]) => commitCalls(commits(), calls);
  const accepts = createGroupCommit({ ...GROUPS, commit: commitAll, onCommit });
  const settlements = createGroupCommit({ ...GROUPS, commit: commitAll, onCommit });
  const order = createCallOrder();

  const databaseOf = ({ verb }: PostgresCall): Database => (VERBS[verb].kind === "side" ? side : path);

  async function single(call: PostgresCall): Promise<VerbAnswer<VerbName>> {
    const database = databaseOf(call);
    if (database.pool.waitingCount >= CALLS_WAITING_MAX) {
      throw new StoreUnavailable(`${CALLS_WAITING_MAX} calls already wait for the database`);
    }
    const [answer] = await commitCalls(database, [call]);
    return await new Promise((resolve, reject) => settle({ resolve, reject }, answer));
  }

  const apart = createApart(async (calls) => {
    if (calls.every(isJoinedCall)) return await whenMoved(calls, commitAll);
    const answers: Answer[] = [];
    for (const call of calls) answers.push(...(await whenMoved([call], (one) => commitCalls(databaseOf(call), one))));
    return answers;
  });

  function callAtOnce(call: PostgresCall): Promise<VerbAnswer<VerbName>> {
    if (call.verb === "acceptEvents") return order.accept(() => accepts.call(call));
    if (goesWithAccepts(call, path.node)) return accepts.call(call);
    if (call.verb === "settleAttemptsIfClaimed") return settlements.call(call);
    if (VERBS[call.verb].kind === "set-up") return order.change(() => single(call));
    return single(call);
  }

  // What is apart keeps its own order: nothing else waits for it.
  return (call) =>
    apart.has(call)
      ? apart.call(call)
      : callAtOnce(call).catch((error: unknown) => {
          if (error instanceof AccountsMoving) return apart.call(call);
          throw error;
        });
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
