/**
 * Names from the name servers of this machine's `resolv.conf`, by c-ares. Not `dns.lookup`, which runs on two threads
 * of the process: twenty names with silent servers delayed every other look-up by 30 s (measured). c-ares needs no
 * thread; in return it reads no hosts file.
 */
import { Resolver as CaresResolver } from "node:dns/promises";
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

/** The used part of `dns.promises.Resolver`; tests script it. */
export interface DnsClient {
  resolve4(name: string, options: { ttl: true }): Promise<readonly DnsAnswer[]>;
  resolve6(name: string, options: { ttl: true }): Promise<readonly DnsAnswer[]>;
}

export interface DnsAnswer {
  readonly address: string;
  /** Seconds. */
  readonly ttl: number;
}

const TRY_TIMEOUT_MS = secondsMs(2);
const TRIES = 2;
/** Guess. After one family has answered, the other gets this much longer: some servers drop AAAA questions. */
const OTHER_FAMILY_MS = secondsMs(1);
const POSITIVE_MS_MAX = secondsMs(60);

/** Guess. A question costs two datagrams and some hundred bytes, so there may be as many as attempts in flight. */
const IN_FLIGHT_MAX = 1_024;
/** Guess. Sixteen owners with only dead names would have to meet before another owner waits. */
const PER_OWNER_MAX = 64;

export const createDnsClient = (): DnsClient => new CaresResolver({ timeout: TRY_TIMEOUT_MS, tries: TRIES });

/** Addresses are kept for `min(TTL, 60 s)`. */
export function nameServers({ clock, dns = createDnsClient() }: { clock: Clock; dns?: DnsClient }): NameSource {
  return {
    ask(name) {
      const answered = askBothFamilies({ clock, dns, name });
      // c-ares may continue for a little after the deadline, but holds nothing that others wait for.
      return { answered, released: answered };
    },
    inFlightMax: IN_FLIGHT_MAX,
    perOwnerMax: PER_OWNER_MAX,
  };
}

/** The result of one family: addresses, or the code of its failure. */
interface FamilyAnswer {
  readonly answers: readonly DnsAnswer[];
  readonly code: string | null;
}

/**
 * Asks for both families, so that one refused address can refuse the name. When one fails or stays silent, the other's
 * addresses are used. That is safe, because only checked addresses are connected to.
 */
function askBothFamilies({ clock, dns, name }: { clock: Clock; dns: DnsClient; name: string }): Promise<Lookup> {
  const { promise, resolve } = Promise.withResolvers<Lookup>();
  const families: FamilyAnswer[] = [];
  const conclude = () => {
    cancelTimer();
    resolve(toLookup(families));
  };
  const collect = (family: FamilyAnswer) => {
    families.push(family);
    if (families.length === 2) return conclude();
    if (family.answers.length === 0) return;
    cancelTimer();
    cancelTimer = clock.after(OTHER_FAMILY_MS, conclude);
  };
  let cancelTimer = clock.after(LOOKUP_DEADLINE_MS, conclude);
  void settle(dns.resolve4(name, { ttl: true })).then(collect);
  void settle(dns.resolve6(name, { ttl: true })).then(collect);
  return promise;
}

/** The border to a library that rejects for expected input. */
const settle = (pending: Promise<readonly DnsAnswer[]>): Promise<FamilyAnswer> =>
  pending.then(
    (answers) => ({ answers, code: null }),
    (error: unknown) => ({ answers: [], code: dnsErrorCode(error) }),
  );

function toLookup(families: readonly FamilyAnswer[]): Lookup {
  const answers = families.flatMap((family) => family.answers);
  if (answers.length === 0) return failedLookup(findCode(families));
  const ttlMs = secondsMs(Math.min(...answers.map(({ ttl }) => ttl)));
  return foundLookup(
    answers.map(({ address }) => address),
    Math.min(ttlMs, POSITIVE_MS_MAX),
  );
}

/** ENODATA only means "not in this family", so any other of the two codes says more. */
function findCode(families: readonly FamilyAnswer[]): string {
  const codes = families.map(({ code }) => code).filter((code) => code !== null && code !== "ENODATA");
  return codes[0] ?? (families.length < 2 ? "ETIMEOUT" : "ENODATA");
}
