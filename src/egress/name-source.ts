/**
 * What the resolver asks for a name: the name servers (`name-servers.ts`), or this machine's own way of knowing names
 * (`system-names.ts`). A source says how many questions it bears at once; the resolver shares them out.
 */
import { isIPv4 } from "node:net";
import { type Result, ok, refuse } from "../domain/problem.ts";
import { secondsMs } from "../lib/duration.ts";

export interface DnsFailure {
  /** As c-ares names it: ENOTFOUND, ENODATA, ESERVFAIL, ETIMEOUT …; EBUSY when nobody was asked for want of a slot. */
  readonly code: string;
  /** A sentence without the name. */
  readonly message: string;
}

/** Every address of a name, IPv4 before IPv6, at least one. */
export type Resolution = Result<readonly string[], DnsFailure>;

export interface Lookup {
  readonly result: Resolution;
  /** How long it may be used again. */
  readonly keptMs: number;
}

export interface Question {
  /** Never rejects. */
  readonly answered: Promise<Lookup>;
  /** Resolves when nothing of the question is under way any more, which may be later. */
  readonly released: Promise<unknown>;
}

export interface NameSource {
  ask(name: string): Question;
  /** Names that are asked for at once: in all, and for one owner. */
  readonly inFlightMax: number;
  readonly perOwnerMax: number;
}

/** Below the connect deadline, so that silent name servers end as a DNS error. c-ares alone took 6 s (measured). */
export const LOOKUP_DEADLINE_MS = 4_500;
const NEGATIVE_MS = secondsMs(5);

/** At least one address; each is told once. */
export function foundLookup(found: readonly string[], keptMs: number): Lookup {
  const addresses = [...new Set(found)];
  const v4First = [...addresses.filter(isIPv4), ...addresses.filter((address) => !isIPv4(address))];
  return { result: ok(v4First), keptMs };
}

export const failedLookup = (code: string): Lookup => ({ result: refuse(toFailure(code)), keptMs: NEGATIVE_MS });

/** The code that Node gives to the errors of name look-ups. */
export const dnsErrorCode = (error: unknown): string =>
  error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "EUNKNOWN";

/** Words for what people can do something about; the rest keeps its code. */
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
