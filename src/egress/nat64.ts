/**
 * Finds the NAT64 prefixes of this network, as RFC 7050 describes. The name `ipv4only.arpa` has two IPv4 addresses and
 * no other, so a translator has made every IPv6 address of it, and the place of the IPv4 address in it tells the
 * prefix's length. The resolver is the one that looks up webhooks' names.
 *
 *     never asked ──► asked, waited for 1 s at most ──► known, asked again behind callers' backs every ten minutes
 *
 * Invariant: a found prefix can only close addresses. A forged answer opens nothing, and a failed look-up keeps the
 * known prefixes.
 */
import { isIPv6 } from "node:net";
import { type Clock, inTime } from "../lib/clock.ts";
import { minutesMs, secondsMs } from "../lib/duration.ts";
import { NAT64_PREFIX_LENGTHS, type Nat64Prefix, addressBits, embeddedIpv4 } from "./address-bits.ts";
import type { Resolution } from "./name-sources.ts";
import type { Resolver } from "./resolver.ts";

export interface Nat64 {
  /** The known prefixes, without asking. */
  prefixes(): readonly Nat64Prefix[];
  /** Asks when it is time. Never rejects, and takes a second at most. */
  refresh(): Promise<void>;
  /** Whether the name servers have ever answered. */
  isKnown(): boolean;
}

const NAME = "ipv4only.arpa";
/** RFC 7050 §8.2. */
const WELL_KNOWN_IPV4: ReadonlySet<string> = new Set(["192.0.0.170", "192.0.0.171"]);

/** Guess. A network that changes its prefix announces the old one for longer than this. */
const KEPT_MS = minutesMs(10);
const ASKED_AGAIN_MS = minutesMs(1);
/** Guess. The wait for the first answer. Name look-ups take 5 s at most in all, and this adds one more question. */
const WAIT_MS_MAX = secondsMs(1);
/** A translator has a handful. */
const PREFIXES_MAX = 16;

export function createNat64({ clock, resolver }: { readonly clock: Clock; readonly resolver: Resolver }): Nat64 {
  let known: readonly Nat64Prefix[] | null = null;
  let dueAtMs = Number.NEGATIVE_INFINITY;
  let asking: Promise<void> | null = null;

  async function ask(): Promise<void> {
    const found = prefixesIn(await resolver.resolve(NAME, NAME));
    known = found ?? known;
    dueAtMs = clock.monotonicMs() + (found === null ? ASKED_AGAIN_MS : KEPT_MS);
    asking = null;
  }

  return {
    prefixes: () => known ?? [],
    isKnown: () => known !== null,
    async refresh() {
      if (clock.monotonicMs() < dueAtMs) return;
      asking ??= ask();
      if (known === null) await inTime(clock, WAIT_MS_MAX, asking);
    },
  };
}

/** Complete answers: such a network translates nothing, or its name servers do not say so. */
const NO_SUCH_ANSWER: ReadonlySet<string> = new Set(["ENOTFOUND", "ENODATA"]);

/** `null` when the name servers have not answered. */
function prefixesIn(resolution: Resolution): readonly Nat64Prefix[] | null {
  if (!resolution.ok) return NO_SUCH_ANSWER.has(resolution.error.code) ? [] : null;
  return resolution.value
    .filter((address) => isIPv6(address))
    .flatMap((address) => findPrefixes(addressBits(address, "ipv6")))
    .slice(0, PREFIXES_MAX);
}

/** Every length at which one of the two addresses stands. When two readings are possible, both are checked. */
function findPrefixes(bits: bigint): Nat64Prefix[] {
  const lengths = NAT64_PREFIX_LENGTHS.filter((length) => WELL_KNOWN_IPV4.has(embeddedIpv4(bits, length)));
  return lengths.map((length) => {
    const behind = BigInt(128 - length);
    return { network: (bits >> behind) << behind, length };
  });
}
