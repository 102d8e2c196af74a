/**
 * This machine's own addresses, for the address policy. They are read again after a while: an interface can come up, or
 * an address move here, long after the process started.
 */
import { networkInterfaces } from "node:os";
import type { Clock } from "../lib/clock.ts";
import { secondsMs } from "../lib/duration.ts";

/** Guess. Reading costs about 40 µs, so a check reads only when the last answer is older than this. */
const KEPT_MS = secondsMs(5);

/** A function that lists the addresses of all interfaces, at most `KEPT_MS` old. */
export function createOwnAddresses(clock: Clock, read = readInterfaces): () => readonly string[] {
  let addresses: readonly string[] = [];
  let readAtMs = Number.NEGATIVE_INFINITY;
  return () => {
    const nowMs = clock.monotonicMs();
    if (nowMs - readAtMs >= KEPT_MS) {
      addresses = read();
      readAtMs = nowMs;
    }
    return addresses;
  };
}

function readInterfaces(): string[] {
  return Object.values(networkInterfaces()).flatMap((list) => (list ?? []).map(({ address }) => address));
}
