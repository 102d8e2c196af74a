/**
 * Names as this machine knows them, from every source of `getaddrinfo`: hosts file, NSS, mDNS. For the
 * operator's own addresses, which may have names that no name server knows.
 *
 * The cost: `getaddrinfo` holds one of the two threads that Node has for it until the system gives up, which can take
 * 30 s and cannot be cancelled. Dead names thereby delay all others, of every owner. The slots (one for an owner, two
 * in all) keep one owner from holding both; they cannot make a dead name cheap.
 */
import { lookup } from "node:dns/promises";
import type { Clock } from "../lib/clock.ts";
import { secondsMs } from "../lib/duration.ts";
import {
  LOOKUP_DEADLINE_MS,
  type Lookup,
  type NameSource,
  dnsErrorCode,
  failedLookup,
  foundLookup,
} from "./name-source.ts";

/** Every address of a name, as `getaddrinfo` gives them; tests script it. */
export type AskSystem = (name: string) => Promise<readonly { readonly address: string }[]>;

/** libuv gives two of its four threads to slow look-ups; more questions would only queue unfairly there. */
const IN_FLIGHT_MAX = 2;
const PER_OWNER_MAX = 1;

/** Guess. `getaddrinfo` reports no TTL; most names that move quickly have this one. */
const KEPT_MS = secondsMs(30);

export function systemNames({ clock, ask = askSystem }: { clock: Clock; ask?: AskSystem }): NameSource {
  return {
    ask(name) {
      const { promise: answered, resolve } = Promise.withResolvers<Lookup>();
      const cancel = clock.after(LOOKUP_DEADLINE_MS, () => resolve(failedLookup("ETIMEOUT")));
      const released = lookUp(ask, name).then((found) => {
        cancel();
        resolve(found);
      });
      return { answered, released };
    },
    inFlightMax: IN_FLIGHT_MAX,
    perOwnerMax: PER_OWNER_MAX,
  };
}

const askSystem: AskSystem = (name) => lookup(name, { all: true, order: "ipv4first" });

/** The border to a library that rejects for expected input. */
const lookUp = (ask: AskSystem, name: string): Promise<Lookup> =>
  ask(name).then(
    (found) => (found.length === 0 ? failedLookup("ENODATA") : foundLookup(listAddresses(found), KEPT_MS)),
    (error: unknown) => failedLookup(dnsErrorCode(error)),
  );

const listAddresses = (found: readonly { readonly address: string }[]) => found.map(({ address }) => address);
