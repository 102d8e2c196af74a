/**
 * The source of names for the resolver: the name servers (`name-servers.ts`), or this machine's own resolver
 * (`system-names.ts`). A source says how many questions it bears at once; the resolver shares them out.
 */
import { isIPv4 } from "node:net";
import { type Result, ok, refuse } from "../domain/problem.ts";
import { secondsMs } from "../lib/duration.ts";

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
  readonly keptMs: number;
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
export function foundLookup(found: readonly string[], keptMs: number): Lookup {
  const addresses = [...new Set(found)];
  const v4First = [...addresses.filter(isIPv4), ...addresses.filter((address) => !isIPv4(address))];
  return { result: ok(v4First), keptMs };
}

export const failedLookup = (code: string): Lookup => ({ result: refuse(toFailure(code)), keptMs: NEGATIVE_MS });

/** The code that Node gives to the errors of name look-ups. */
export const dnsErrorCode = (error: unknown): string =>
  error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "EUNKNOWN";

/** Sentences for failures that people can act on; other codes stay as they are. */
function toFailure(code: string): DnsFailure {
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
    case "EAI_AGAIN":
      return { code, message: "the system's resolver could not find out in time" };
    case "EBUSY":
      return { code, message: "too many other names are being looked up" };
    default:
      return { code, message: `the name servers answered ${code}` };
  }
}
