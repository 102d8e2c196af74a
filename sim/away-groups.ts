/**
 * What a node knows of groups that are away, as production's watch of servers
 * (`store/postgres/buckets/server-watch.ts`) tells its dispatch: calls are refused at once instead of travelling. Here
 * the first call after a moment stands for the probe that says when a server is back.
 */
import type { Clock } from "../src/lib/clock.ts";
import { secondsMs } from "../src/lib/duration.ts";
import { AccountAway, StoreUnavailable } from "../src/store/contract/store.ts";
import { meansAway } from "../src/store/postgres/failures.ts";
import type { RunCall } from "./calls.ts";

const PROBE_MS = secondsMs(2);

export function refuseWhileAway(clock: Pick<Clock, "monotonicMs">, run: RunCall): RunCall {
  const awayUntilMs = new Map<number, number>();
  return async (call, group) => {
    if (clock.monotonicMs() < (awayUntilMs.get(group) ?? -Infinity)) throw new AccountAway("the group is away");
    try {
      const answer = await run(call, group);
      awayUntilMs.delete(group);
      return answer;
    } catch (error) {
      if (!(error instanceof StoreUnavailable && meansAway(error.cause))) throw error;
      awayUntilMs.set(group, clock.monotonicMs() + PROBE_MS);
      throw new AccountAway(error.message, { cause: error.cause });
    }
  };
}
