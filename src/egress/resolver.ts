/**
 * Names to addresses, for the guard only: a small cache in front of a source of names, one question for all callers
 * that ask at once, and slots for owners in round-robin order, so that the dead names of one owner delay no other.
 *
 *     asked ──► cached? ──► waits for a slot (round robin) ──► source ──► cached: min(TTL, 60 s), failures 5 s
 *
 * Invariant: a name that could not be resolved is a failure, never an empty list. `localhost` and the names under it
 * are loopback without a question (RFC 6761 §6.3).
 */
import { ok } from "../lib/result.ts";
import type { Clock } from "../lib/clock.ts";
import { secondsMs } from "../lib/duration.ts";
import { createSlots, type Slots } from "../lib/slots.ts";
import { nameServers, type Lookup, type NameSource, type Resolution, failedLookup } from "./name-sources.ts";

export interface Resolver {
  /** Every address of the name, IPv4 before IPv6, at least one. The look-up takes a slot of `owner`. Never rejects. */
  resolve(name: string, owner?: string): Promise<Resolution>;
}

const ENTRIES_MAX = 10_000;
/**
 * Guess. The longest wait for a slot. Then the name is given up, so that the answer "not now" comes before the connect
 * deadline.
 */
const WAIT_MS_MAX = secondsMs(2);
const LOOPBACK: readonly string[] = ["127.0.0.1", "::1"];

interface Entry {
  readonly resolution: Promise<Resolution>;
  /** Infinity until it is answered, which makes callers share one question. */
  expiresAtMs: number;
  /** Queues the look-up for one more owner; does nothing once the look-up runs. */
  readonly askInQueueOf: (owner: string) => void;
}

/** A resolver with a cache of at most `ENTRIES_MAX` names. */
export function createResolver({
  clock,
  names = nameServers({ clock }),
}: {
  clock: Clock;
  names?: NameSource;
}): Resolver {
  const cache = new Map<string, Entry>();
  const slots = createSlots(names);

  return {
    resolve(name, owner = "") {
      const key = name.toLowerCase().replace(/\.$/, "");
      if (isLocalhost(key)) return Promise.resolve(ok(LOOPBACK));
      let entry = cache.get(key);
      if (entry === undefined || clock.monotonicMs() >= entry.expiresAtMs) {
        entry = createEntry({ clock, names, slots, name: key });
        remember(cache, key, entry);
      }
      entry.askInQueueOf(owner);
      return entry.resolution;
    },
  };
}

const isLocalhost = (name: string): boolean => name === "localhost" || name.endsWith(".localhost");

interface Wanted {
  readonly clock: Clock;
  readonly names: NameSource;
  readonly slots: Slots;
  readonly name: string;
}

/**
 * A name that several owners want waits in the queue of each; the first free slot serves all. Otherwise an owner with a
 * long queue would slow a name down for owners without one.
 */
function createEntry({ clock, names, slots, name }: Wanted): Entry {
  const { promise: resolution, resolve } = Promise.withResolvers<Resolution>();
  let isWaiting = true;
  const owners = new Set<string>();
  const conclude = ({ result, cachedMs }: Lookup) => {
    entry.expiresAtMs = clock.monotonicMs() + cachedMs;
    resolve(result);
  };
  const giveUp = () => {
    isWaiting = false;
    conclude({ ...failedLookup("EBUSY"), cachedMs: 0 });
  };
  const cancelGiveUp = clock.after(WAIT_MS_MAX, giveUp);
  const ask = () => {
    if (!isWaiting) return null;
    isWaiting = false;
    cancelGiveUp();
    const { answered, released } = names.ask(name);
    void answered.then(conclude);
    return released;
  };
  const entry: Entry = {
    resolution,
    expiresAtMs: Number.POSITIVE_INFINITY,
    askInQueueOf(owner) {
      if (!isWaiting || owners.has(owner)) return;
      owners.add(owner);
      slots.enqueue(owner, ask);
    },
  };
  return entry;
}

/** The oldest entry goes first. A running look-up may go too: its callers hold its promise. */
function remember(cache: Map<string, Entry>, name: string, entry: Entry): void {
  cache.delete(name);
  if (cache.size >= ENTRIES_MAX) {
    for (const oldest of cache.keys()) {
      cache.delete(oldest);
      break;
    }
  }
  cache.set(name, entry);
}
