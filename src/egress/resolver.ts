/**
 * Names to addresses, for the guard only. Not `dns.lookup`: that runs on two threads of the process, and twenty names
 * whose servers do not answer delayed every other look-up by 30 s (measured). c-ares, used here, needs no thread; in
 * return it reads no hosts file, so `localhost` is answered here (RFC 6761 §6.3).
 *
 * Invariant: a name that could not be resolved is a failure, never an empty list.
 */
import { Resolver as CaresResolver } from "node:dns/promises";
import { isIPv4 } from "node:net";
import { type Result, ok, refuse } from "../domain/problem.ts";
import type { Clock } from "../lib/clock.ts";
import { secondsMs } from "../lib/duration.ts";

export interface DnsFailure {
  /** As c-ares names it: ENOTFOUND, ENODATA, ESERVFAIL, ETIMEOUT … */
  readonly code: string;
  /** A sentence without the name. */
  readonly message: string;
}

export interface Resolver {
  /** Every address of the name, IPv4 before IPv6, at least one. Never rejects. */
  resolve(name: string): Promise<Result<readonly string[], DnsFailure>>;
}

/** What is used of `dns.promises.Resolver`; tests script it. */
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
/** Below the connect deadline, so that silent name servers end as a DNS error. c-ares alone took 6 s (measured). */
const LOOKUP_DEADLINE_MS = 4_500;
/** When one family has answered, the other gets this much longer: some servers drop AAAA questions. Guess. */
const OTHER_FAMILY_MS = secondsMs(1);
const POSITIVE_MS_MAX = secondsMs(60);
const NEGATIVE_MS = secondsMs(5);
const ENTRIES_MAX = 10_000;
const LOOPBACK: readonly string[] = ["127.0.0.1", "::1"];

type Resolution = Result<readonly string[], DnsFailure>;

interface Entry {
  readonly resolution: Promise<Resolution>;
  /** Infinity while it is being looked up, which makes callers share one look-up. */
  expiresAtMs: number;
}

export const createDnsClient = (): DnsClient => new CaresResolver({ timeout: TRY_TIMEOUT_MS, tries: TRIES });

/** A resolver with a small cache: `min(TTL, 60 s)` for addresses, 5 s for failures, at most `ENTRIES_MAX` names. */
export function createResolver({ clock, dns = createDnsClient() }: { clock: Clock; dns?: DnsClient }): Resolver {
  const cache = new Map<string, Entry>();

  function lookUp(name: string): Promise<Resolution> {
    const { promise: resolution, resolve } = Promise.withResolvers<Resolution>();
    const entry: Entry = { resolution, expiresAtMs: Number.POSITIVE_INFINITY };
    void askBothFamilies({ clock, dns, name }).then(({ result, keptMs }) => {
      entry.expiresAtMs = clock.monotonicMs() + keptMs;
      resolve(result);
    });
    remember(cache, name, entry);
    return resolution;
  }

  return {
    resolve(name) {
      const key = name.toLowerCase().replace(/\.$/, "");
      if (isLocalhost(key)) return Promise.resolve(ok(LOOPBACK));
      const entry = cache.get(key);
      return entry !== undefined && clock.monotonicMs() < entry.expiresAtMs ? entry.resolution : lookUp(key);
    },
  };
}

const isLocalhost = (name: string): boolean => name === "localhost" || name.endsWith(".localhost");

/** The oldest entry goes first. One that is still being looked up may go too: its callers hold its promise. */
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

interface Lookup {
  readonly result: Resolution;
  readonly keptMs: number;
}

/** What one family came back with: addresses, or the code of its failure. */
interface FamilyAnswer {
  readonly answers: readonly DnsAnswer[];
  readonly code: string | null;
}

/**
 * Both families are asked, so that one refused address can refuse the name. When one fails or stays silent, the other's
 * addresses are used: that is safe, because nothing is connected to that was not checked.
 */
function askBothFamilies({ clock, dns, name }: { clock: Clock; dns: DnsClient; name: string }): Promise<Lookup> {
  const { promise, resolve } = Promise.withResolvers<Lookup>();
  const families: FamilyAnswer[] = [];
  const conclude = () => {
    cancelTimer();
    resolve(conclusionOf(families));
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
    (error: unknown) => ({ answers: [], code: errorCode(error) }),
  );

function conclusionOf(families: readonly FamilyAnswer[]): Lookup {
  const answers = families.flatMap((family) => family.answers);
  if (answers.length === 0) return { result: refuse(failureOf(codeOf(families))), keptMs: NEGATIVE_MS };
  const addresses = [...new Set(answers.map(({ address }) => address))];
  const v4First = [...addresses.filter(isIPv4), ...addresses.filter((address) => !isIPv4(address))];
  const ttlMs = secondsMs(Math.min(...answers.map(({ ttl }) => ttl)));
  return { result: ok(v4First), keptMs: Math.min(ttlMs, POSITIVE_MS_MAX) };
}

/** ENODATA only says "not in this family", so any other code of the two tells more. */
function codeOf(families: readonly FamilyAnswer[]): string {
  const codes = families.map(({ code }) => code).filter((code) => code !== null && code !== "ENODATA");
  return codes[0] ?? (families.length < 2 ? "ETIMEOUT" : "ENODATA");
}

const errorCode = (error: unknown): string =>
  error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "EUNKNOWN";

/** Words for what people can do something about; the rest keeps its code. */
function failureOf(code: string): DnsFailure {
  switch (code) {
    case "ENOTFOUND":
      return { code, message: "this name does not exist" };
    case "ENODATA":
      return { code, message: "this name exists but has no address" };
    case "ETIMEOUT":
      return { code, message: "the name servers did not answer in time" };
    case "EBADNAME":
      return { code, message: "this is not a valid name" };
    case "ECONNREFUSED":
      return { code, message: "no name server can be reached from here" };
    default:
      return { code, message: `the name servers answered ${code}` };
  }
}
