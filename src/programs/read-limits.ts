/**
 * What one read key may do on this node, so that a program's loop leaves time to others: calls at once, and a rate.
 * Reads of all keys take turns: on SQLite a post waits behind what is being read, and so behind one read at most.
 */
import { LIMITS } from "../domain/limits.ts";
import { problem, type Problem, type Result } from "../domain/problem.ts";
import type { Clock } from "../lib/clock.ts";
import { secondsMs } from "../lib/duration.ts";
import { refuse } from "../lib/result.ts";

export interface ReadLimits {
  /** Runs a call within what its key may do. */
  admit<Value>(keyId: string, call: () => Promise<Result<Value>>): Promise<Result<Value>>;
  /** Runs a read of such a call in its turn. */
  inTurn<Value>(read: () => Promise<Result<Value>>): Promise<Result<Value>>;
}

export function createReadLimits(clock: Pick<Clock, "monotonicMs">): ReadLimits {
  const uses = createUses(clock);
  const takeTurn = createTurns();
  return {
    async admit(keyId, call) {
      const refusal = uses.begin(keyId);
      if (refusal !== null) return refuse(refusal);
      try {
        return await call();
      } finally {
        uses.end(keyId);
      }
    },
    inTurn: async (read) => (await takeTurn(read)) ?? refuse(tooManyWait),
  };
}

interface Uses {
  /** Begins a call: `null`, and `end` has to follow. Otherwise the call is refused. */
  begin(keyId: string): Problem | null;
  end(keyId: string): void;
}

interface Use {
  running: number;
  /** Calls that may start now; a fraction is usual. */
  credit: number;
  atMs: number;
}

/** Remembered keys; one that has rested for a second has all of its credit, so that nothing is lost with it. */
const KEYS_MAX = 10_000;

function createUses(clock: Pick<Clock, "monotonicMs">): Uses {
  const uses = new Map<string, Use>();

  function useOf(keyId: string, nowMs: number): Use {
    const { credit, atMs, running } = uses.get(keyId) ?? { credit: PER_SECOND, atMs: nowMs, running: 0 };
    const grown = credit + ((nowMs - atMs) / secondsMs(1)) * PER_SECOND;
    const use = { running, credit: Math.min(PER_SECOND, grown), atMs: nowMs };
    // The latest stands last.
    uses.delete(keyId);
    uses.set(keyId, use);
    return use;
  }

  return {
    begin(keyId) {
      const use = useOf(keyId, clock.monotonicMs());
      forget(uses);
      if (use.running >= LIMITS.readCallsAtOnceMax) return tooManyAtOnce;
      if (use.credit < 1) return tooMany;
      use.credit -= 1;
      use.running += 1;
      return null;
    },
    end(keyId) {
      const use = uses.get(keyId);
      if (use !== undefined) use.running -= 1;
    },
  };
}

/** Guess. Above what a dozen programs wait for at once. */
const TURNS_WAITING_MAX = 100;

/** One after the other, in the order in which they were asked for; `null`: too many wait. */
function createTurns(): <Value>(work: () => Promise<Value>) => Promise<Value | null> {
  let waiting = 0;
  let last: Promise<unknown> = Promise.resolve();
  return async (work) => {
    if (waiting >= TURNS_WAITING_MAX) return null;
    waiting += 1;
    const before = last;
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    last = ended;
    await before;
    try {
      return await work();
    } finally {
      waiting -= 1;
      end();
    }
  };
}

/** Those that were used longest ago, and have no call under way. */
function forget(uses: Map<string, Use>): void {
  for (const [keyId, { running }] of uses) {
    if (uses.size <= KEYS_MAX) return;
    if (running === 0) uses.delete(keyId);
  }
}

const PER_SECOND = LIMITS.readCallsPerSecondMax;

const tooManyAtOnce = problem(
  "too_many_reads",
  `A key can have ${LIMITS.readCallsAtOnceMax} calls under way. Wait for their answers.`,
);
const tooManyWait = problem("too_many_reads", "This node has as many reads as it can. Wait a second.");
const tooMany = problem("too_many_reads", `A key can make ${PER_SECOND} calls a second. Wait a second.`);
