/**
 * The store's counts for the gauges; `null` while the store is away or does not answer. A scrape must get this node's
 * own figures then, and not wait for the store's.
 */
import { type Clock, inTime } from "../lib/clock.ts";
import { secondsMs } from "../lib/duration.ts";
import { type Store, StoreUnavailable } from "../store/contract/store.ts";
import type { GaugeSources } from "./gauges.ts";

/** Guess. Less than a scrape may take, which is 10 s by default; a count takes milliseconds. */
const COUNT_MS_MAX = secondsMs(3);

export function createStoreCounts(
  store: Pick<Store, "countWaiting" | "countInbox" | "countDestinations">,
  clock: Clock,
): Pick<GaugeSources, "waiting" | "inbox" | "destinations"> {
  const ageSeconds = (sinceMs: number | null): number =>
    sinceMs === null ? 0 : Math.max(0, clock.nowMs() - sinceMs) / 1000;
  const unlessAway = <Value>(asked: Promise<Value>): Promise<Value | null> =>
    inTime(clock, COUNT_MS_MAX, asked).catch((error: unknown) => {
      if (error instanceof StoreUnavailable) return null;
      throw error;
    });
  return {
    async waiting() {
      const counted = await unlessAway(store.countWaiting({ nowMs: clock.nowMs() }));
      return counted && { waiting: counted.waiting, oldestDueAgeSeconds: ageSeconds(counted.oldestDueAtMs) };
    },
    async inbox() {
      const counted = await unlessAway(store.countInbox({ refusedFromMs: clock.nowMs() }));
      return counted && { waiting: counted.waiting, oldestAgeSeconds: ageSeconds(counted.oldestEmittedAtMs) };
    },
    destinations: () => unlessAway(store.countDestinations({ nowMs: clock.nowMs() })),
  };
}
