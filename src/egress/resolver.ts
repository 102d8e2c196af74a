/**
 * Names to addresses, for the guard only: a small cache in front of a source of names, one question for all callers
 * that ask at once, and slots in which owners take turns, so that the dead names of one owner delay no other.
 *
 *     asked ──► cached? ──► waits for a slot (owner's turn) ──► source ──► kept: min(TTL, 60 s), failures 5 s
 *
 * Invariant: a name that could not be resolved is a failure, never an empty list. `localhost` and the names under it
 * are loopback without a question (RFC 6761 §6.3).
 */
import { ok } from "../domain/problem.ts";
import type { Clock } from "../lib/clock.ts";
import { secondsMs } from "../lib/duration.ts";
import { type LookupSlots, createLookupSlots } from "./lookup-slots.ts";
import { nameServers } from "./name-servers.ts";
import { type Lookup, type NameSource, type Resolution, failedLookup } from "./name-source.ts";

export interface Resolver {
  /**
   * Every address of the name, IPv4 before IPv6, at least one. `owner` takes turns with other owners. Never rejects.
   */
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
  /** Lets one more owner's turn start the look-up; does nothing once the look-up runs. */
  readonly askInTurnOf: (owner: string) => void;
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
  const slots = createLookupSlots(names);

  return {
    resolve(name, owner = "") {
      const key = name.toLowerCase().replace(/\.$/, "");
      if (isLocalhost(key)) return Promise.resolve(ok(LOOPBACK));
      let entry = cache.get(key);
      if (entry === undefined || clock.monotonicMs() >= entry.expiresAtMs) {
        entry = createEntry({ clock, names, slots, name: key });
        remember(cache, key, entry);
      }
      entry.askInTurnOf(owner);
      return entry.resolution;
    },
  };
}

const isLocalhost = (name: string): boolean => name === "localhost" || name.endsWith(".localhost");

interface Wanted {
  readonly clock: Clock;
  readonly names: NameSource;
  readonly slots: LookupSlots;
  readonly name: string;
}

/**
 * A name that several owners want waits in the queue of each, and the first turn serves all. Otherwise an owner with a
 * long queue would slow a name down for owners without one.
 */
function createEntry({ clock, names, slots, name }: Wanted): Entry {
  const { promise: resolution, resolve } = Promise.withResolvers<Resolution>();
  let isWaiting = true;
  const owners = new Set<string>();
  const conclude = ({ result, keptMs }: Lookup) => {
    entry.expiresAtMs = clock.monotonicMs() + keptMs;
    resolve(result);
  };
  const giveUp = () => {
    isWaiting = false;
    conclude({ ...failedLookup("EBUSY"), keptMs: 0 });
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
    askInTurnOf(owner) {
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
