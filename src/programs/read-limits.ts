/**
 * What one read key may do on this node, so that a program's loop leaves time to others: calls at once, and a rate.
 * Reads of all keys take turns: on SQLite a post waits behind what is being read, and so behind one read at most. After
 * a dear one the store rests from reads for some times as long, so that most of its time is left to what comes in.
 */
import { LIMITS } from "../domain/limits.ts";
import { problem, type Result } from "../domain/problem.ts";
import { createCallLimits } from "../http/call-limits.ts";
import { type Clock, sleep } from "../lib/clock.ts";
import { refuse } from "../lib/result.ts";

export interface ReadLimits {
  /** Runs a call within what its key may do. */
  admit<Value>(keyId: string, call: () => Promise<Result<Value>>): Promise<Result<Value>>;
  /** Runs a read of such a call in its turn. */
  inTurn<Value>(read: () => Promise<Result<Value>>): Promise<Result<Value>>;
}

export function createReadLimits(clock: Clock): ReadLimits {
  const limits = createCallLimits({ clock, atOnceMax: LIMITS.readCallsAtOnceMax, perSecondMax: PER_SECOND });
  const takeTurn = createTurns(clock);
  return {
    async admit(keyId, call) {
      const refusal = limits.begin(keyId);
      if (refusal !== null) return refuse(refusal === "at_once" ? tooManyAtOnce : tooMany);
      try {
        return await call();
      } finally {
        limits.end(keyId);
      }
    },
    inTurn: async (read) => (await takeTurn(read)) ?? refuse(tooManyWait),
  };
}

/** Guess. Above what a dozen programs wait for at once. */
const TURNS_WAITING_MAX = 100;

/** What a usual read takes; a list over 500 webhooks takes 20 (bench/RESULTS.md). */
const USUAL_MS = 5;
/** How long nothing is read after a read, in times of what it took beyond that. Guess. */
const REST_SHARE = 3;

/** One after the other, in the order in which they were asked for; `null`: too many wait. */
function createTurns(clock: Clock): <Value>(work: () => Promise<Value>) => Promise<Value | null> {
  let waiting = 0;
  let last: Promise<unknown> = Promise.resolve();
  return async (work) => {
    if (waiting >= TURNS_WAITING_MAX) return null;
    waiting += 1;
    const before = last;
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    last = ended;
    await before;
    const startedMs = clock.monotonicMs();
    try {
      return await work();
    } finally {
      waiting -= 1;
      const restMs = REST_SHARE * (clock.monotonicMs() - startedMs - USUAL_MS);
      if (restMs <= 0) end();
      else void sleep(clock, restMs).then(end);
    }
  };
}

const PER_SECOND = LIMITS.readCallsPerSecondMax;

const tooManyAtOnce = problem(
  "too_many_reads",
  `A key can have ${LIMITS.readCallsAtOnceMax} calls under way. Wait for their answers.`,
);
const tooManyWait = problem("too_many_reads", "This node has as many reads as it can. Wait a second.");
const tooMany = problem("too_many_reads", `A key can make ${PER_SECOND} calls a second. Wait a second.`);
