/**
 * What one read key may do on this node, so that a program's loop leaves time to others: calls at once, and a rate.
 * Reads of all keys take turns, and accounts go round: one that asks much waits behind itself. What looks at much runs
 * beside what is written, on both stores.
 */
import { LIMITS } from "../domain/limits.ts";
import { problem, type Result } from "../domain/problem.ts";
import { createCallLimits } from "../http/call-limits.ts";
import type { Clock } from "../lib/clock.ts";
import { refuse } from "../lib/result.ts";
import { createSlots, type SlotsOptions } from "../lib/slots.ts";

export interface ReadLimits {
  /** Runs a call within what its key may do. */
  admit<Value>(keyId: string, call: () => Promise<Result<Value>>): Promise<Result<Value>>;
  /** Runs a read of such a call in its turn. The account is the key's: `null` for keys of all accounts. */
  inTurn<Value>(accountId: string | null, read: () => Promise<Result<Value>>): Promise<Result<Value>>;
}

export function createReadLimits(clock: Clock): ReadLimits {
  const limits = createCallLimits({ clock, atOnceMax: LIMITS.readCallsAtOnceMax, perSecondMax: PER_SECOND });
  const takeTurn = createTurns();
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
    inTurn: async (accountId, read) => (await takeTurn(accountId ?? "", read)) ?? refuse(tooManyWait),
  };
}

/** Guess. Above what a dozen programs wait for at once. */
const WAITING_MAX = 100;
/** Guess: so an account with many keys leaves room for others. */
const WAITING_OF_ACCOUNT_MAX = 25;

/** Guess: half of PostgreSQL's connections that are not the path's are left to pages. */
const TURNS: SlotsOptions = { inFlightMax: 2, perOwnerMax: 1 };

/** Runs a read when it is its account's turn; `null`: too many wait. */
type TakeTurn = <Value>(accountId: string, work: () => Promise<Value>) => Promise<Value | null>;

function createTurns(): TakeTurn {
  const turns = createSlots(TURNS);
  return async (accountId, work) => {
    if (turns.waiting() >= WAITING_MAX || turns.waiting(accountId) >= WAITING_OF_ACCOUNT_MAX) return null;
    return await new Promise((resolve) => {
      turns.enqueue(accountId, async () => {
        const worked = work();
        resolve(worked);
        await Promise.allSettled([worked]);
      });
    });
  };
}

const PER_SECOND = LIMITS.readCallsPerSecondMax;

const tooManyAtOnce = problem(
  "too_many_reads",
  `A key can have ${LIMITS.readCallsAtOnceMax} calls under way. Wait for their answers.`,
);
const tooManyWait = problem("too_many_reads", "This node has as many reads as it can. Wait a second.");
const tooMany = problem("too_many_reads", `A key can make ${PER_SECOND} calls a second. Wait a second.`);
