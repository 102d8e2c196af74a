/**
 * How many tests an account may have under way at once, and how many in a minute. A test may hold a socket for its
 * whole deadline, and its answer says what was met: a page that presses the button again and again, or a script with a
 * stolen session, must make neither a hammer nor a port scanner of this service.
 */
import { type Problem, problem } from "../../domain/problem.ts";
import { refuse } from "../../lib/result.ts";
import { createTryCounter } from "../../http/try-counter.ts";
import type { Clock } from "../../lib/clock.ts";
import { minutesMs } from "../../lib/duration.ts";
import type { TestSlots } from "../call/context.ts";

/** Guess: two people who try two webhooks each. */
const PER_ACCOUNT_MAX = 4;

/** Guess: people need more than a second to read an answer, so a person at the button never meets the limit. */
const PER_MINUTE_MAX = 60;

export function createTestSlots(clock: Clock): TestSlots {
  const running = new Map<string, number>();
  const isTooOften = createTryCounter({ clock, triesMax: PER_MINUTE_MAX, windowMs: minutesMs(1) });
  return {
    async run(accountId, work) {
      const count = running.get(accountId) ?? 0;
      if (count >= PER_ACCOUNT_MAX) return refuse(tooManyAtOnce);
      if (isTooOften(accountId)) return refuse(tooOften);
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

const tooManyAtOnce: Problem = problem(
  "too_many_tests",
  `${PER_ACCOUNT_MAX} tests of this account are under way. Wait until one of them has its answer.`,
);

const tooOften: Problem = problem(
  "too_many_tests",
  `This account may send ${PER_MINUTE_MAX} tests a minute, and it has. Wait a minute.`,
);
