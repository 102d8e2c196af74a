/**
 * How many tests an account may have under way at once. A test may hold a socket for its whole deadline, so a page that
 * presses the button again and again, or a script with a stolen session, must not make this service a hammer.
 */
import { type Problem, problem } from "../domain/problem.ts";

/** Guess: two people who try two webhooks each. */
const PER_ACCOUNT_MAX = 4;

export interface TestSlots {
  /** Runs `work` when the account has a slot, else answers `null`. */
  run<Value>(accountId: string, work: () => Promise<Value>): Promise<Value | null>;
}

export function createTestSlots(): TestSlots {
  const running = new Map<string, number>();
  return {
    async run(accountId, work) {
      const count = running.get(accountId) ?? 0;
      if (count >= PER_ACCOUNT_MAX) return null;
      running.set(accountId, count + 1);
      try {
        return await work();
      } finally {
        release(running, accountId);
      }
    },
  };
}

/** An account that runs none is forgotten, or the map would grow with every account that ever tested. */
function release(running: Map<string, number>, accountId: string): void {
  const left = (running.get(accountId) ?? 1) - 1;
  if (left > 0) running.set(accountId, left);
  else running.delete(accountId);
}

export const tooManyTests: Problem = problem(
  "too_many_tests",
  `${PER_ACCOUNT_MAX} tests of this account are under way. Wait until one of them has its answer.`,
);
