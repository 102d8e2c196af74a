/**
 * The sources of names for the resolver, and the form of their answers. A source says how many questions it may have in
 * flight; the resolver shares them out among owners.
 *
 * - Name servers: those of this machine's `resolv.conf`, by c-ares. Not `dns.lookup`, which runs on two threads of the
 *   process: twenty names with silent servers delayed every other look-up by 30 s (measured). c-ares needs no thread;
 *   in return it reads no hosts file.
 * - System names: every source of `getaddrinfo` (hosts file, NSS, mDNS), for the operator's own addresses, which may
 *   have names that no name server knows. `getaddrinfo` holds one of the two threads that Node has for it until the
 *   system gives up, which can take 30 s and cannot be cancelled, so dead names delay all others. The slots (one for an
 *   owner, two in all) keep one owner from holding both threads; they cannot make a dead name cheap.
 */
import { Resolver as CaresResolver, lookup } from "node:dns/promises";
import type { Clock } from "../lib/clock.ts";
import { secondsMs } from "../lib/duration.ts";
import { isIPv4 } from "node:net";
import type { Result } from "../domain/problem.ts";
import { ok, refuse } from "../lib/result.ts";

export interface DnsFailure {
  /** The code in c-ares' words: ENOTFOUND, ENODATA, ESERVFAIL, ETIMEOUT …; EBUSY when no slot was free to ask. */
  readonly code: string;
  /** A sentence without the name. */
  readonly message: string;
}

/** Every address of a name, IPv4 before IPv6, at least one. */
export type Resolution = Result<readonly string[], DnsFailure>;

export interface Lookup {
  readonly result: Resolution;
  /** The time for which the answer may be used again. */
  readonly cachedMs: number;
}

export interface Question {
  /** Never rejects. */
  readonly answered: Promise<Lookup>;
  /** Resolves when nothing of the question is in flight any more, which may be later. */
  readonly released: Promise<unknown>;
}

export interface NameSource {
  ask(name: string): Question;
  /** The maximum of names in flight: in all, and for one owner. */
  readonly inFlightMax: number;
  readonly perOwnerMax: number;
}

/** Below the connect deadline, so that silent name servers end as a DNS error. c-ares alone took 6 s (measured). */
export const LOOKUP_DEADLINE_MS = 4_500;
const NEGATIVE_MS = secondsMs(5);

/** At least one address, each listed once. */
export function foundLookup(found: readonly string[], cachedMs: number): Lookup {
  const addresses = [...new Set(found)];
  const v4First = [...addresses.filter(isIPv4), ...addresses.filter((address) => !isIPv4(address))];
  return { result: ok(v4First), cachedMs };
}

export const failedLookup = (code: string): Lookup => ({ result: refuse(toDnsFailure(code)), cachedMs: NEGATIVE_MS });

/** The code that Node gives to the errors of name look-ups. */
export const dnsErrorCode = (error: unknown): string =>
  error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "EUNKNOWN";

/** Sentences for all of c-ares' codes and the system's: those without one say nothing about the name. */
export function toDnsFailure(code: string): DnsFailure {
  switch (code) {
    case "ENOTFOUND":
      return { code, message: "this name does not exist" };
    case "ENODATA":
      return { code, message: "this name exists but has no address" };
    case "ESERVFAIL":
      return { code, message: "its name servers failed to answer" };
    case "EREFUSED":
      return { code, message: "its name servers refuse to answer" };
    case "EFORMERR":
    case "ENOTIMP":
    case "EBADRESP":
      return { code, message: "its name servers gave no answer that can be read" };
    case "ETIMEOUT":
      return { code, message: "the name servers did not answer in time" };
    case "EBADNAME":
      return { code, message: "this is not a valid name" };
    case "ECONNREFUSED":
      return { code, message: "no name server can be reached from here" };
    case "EAI_AGAIN":
      return { code, message: "the system's resolver could not find out in time" };
    case "EBUSY":
      return { code, message: "too many other names are being looked up" };
    default:
      return { code, message: "it could not be looked up on this machine" };
  }
}

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

/** Addresses are cached for `min(TTL, 60 s)`. */
export function nameServers({ clock, dns = createDnsClient() }: { clock: Clock; dns?: DnsClient }): NameSource {
  return {
    ask(name) {
      const answered = askBothFamilies({ clock, dns, name });
      // c-ares may continue for a little after the deadline, but uses nothing that others wait for.
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

/** Every address of a name, as `getaddrinfo` gives them; tests script it. */
export type AskSystem = (name: string) => Promise<readonly { readonly address: string }[]>;

/** libuv gives two of its four threads to slow look-ups; more questions would only queue unfairly there. */
const SYSTEM_IN_FLIGHT_MAX = 2;
const SYSTEM_PER_OWNER_MAX = 1;

/** Guess. `getaddrinfo` reports no TTL; most names that move quickly have this one. */
const SYSTEM_CACHED_MS = secondsMs(30);

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
    inFlightMax: SYSTEM_IN_FLIGHT_MAX,
    perOwnerMax: SYSTEM_PER_OWNER_MAX,
  };
}

const askSystem: AskSystem = (name) => lookup(name, { all: true, order: "ipv4first" });

/** The border to a library that rejects for expected input. */
const lookUp = (ask: AskSystem, name: string): Promise<Lookup> =>
  ask(name).then(
    (found) => (found.length === 0 ? failedLookup("ENODATA") : foundLookup(listAddresses(found), SYSTEM_CACHED_MS)),
    (error: unknown) => failedLookup(dnsErrorCode(error)),
  );

const listAddresses = (found: readonly { readonly address: string }[]) => found.map(({ address }) => address);
