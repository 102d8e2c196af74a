/**
 * Groups of buckets whose server cannot be reached. Their calls are refused at once, because calls that wait for such a
 * server would soon hold every connection, and the accounts of the other servers would wait for one.
 *
 *     here ──a call fails for want of the server──► away ──after a moment──► one call tries ──► here, or away again
 *
 * One call of all groups tries at a time: a server that hangs holds one connection and no more.
 */
import type { Clock } from "../../lib/clock.ts";
import { secondsMs } from "../../lib/duration.ts";
import { AccountAway, StoreUnavailable } from "../contract/store.ts";
import { meansAway } from "./failures.ts";
import type { Group } from "./groups.ts";

/** How long a group that could not be reached is left alone. Guess. */
const AWAY_MS = secondsMs(2);

export interface AwayGroups {
  /** Rejects with `StoreUnavailable` where the group is away. */
  guard<Value>(group: Group, work: () => Promise<Value>): Promise<Value>;
}

export function createAwayGroups(clock: Pick<Clock, "monotonicMs">): AwayGroups {
  const awayUntilMs = new Map<Group, number>();
  let isTrying = false;

  async function watch<Value>(group: Group, work: () => Promise<Value>): Promise<Value> {
    try {
      const value = await work();
      awayUntilMs.delete(group);
      return value;
    } catch (error) {
      if (error instanceof StoreUnavailable && meansAway(error.cause)) {
        awayUntilMs.set(group, clock.monotonicMs() + AWAY_MS);
        throw new AccountAway(error.message, { cause: error.cause });
      }
      throw error;
    }
  }

  return {
    async guard(group, work) {
      const untilMs = awayUntilMs.get(group);
      if (untilMs === undefined) return await watch(group, work);
      if (isTrying || clock.monotonicMs() < untilMs) {
        throw new AccountAway("the server that has this account cannot be reached");
      }
      isTrying = true;
      try {
        return await watch(group, work);
      } finally {
        isTrying = false;
      }
    },
  };
}
