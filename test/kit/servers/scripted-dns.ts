/**
 * Name servers as a test writes them: `{ "hook.test": ["127.0.0.1", "::1"] }`. A function in place of a list is asked
 * anew for each look-up, which is what a rebinding attack looks like from here.
 */
import { type DnsAnswer, type DnsClient, nameServers } from "../../../src/egress/name-sources.ts";
import { type Resolver, createResolver } from "../../../src/egress/resolver.ts";
import { systemClock } from "../../../src/lib/clock.ts";

export type Zone = Readonly<Record<string, readonly string[] | (() => readonly string[] | Promise<readonly string[]>)>>;

export interface ScriptedDns extends DnsClient {
  /** `A hook.test`, `AAAA hook.test`, in the order in which they were asked. */
  readonly questions: string[];
}

/** Names that are not in the zone answer ENOTFOUND; a list without the family that is asked for, ENODATA. */
export function scriptedDns(zone: Zone, ttl = 60): ScriptedDns {
  const questions: string[] = [];

  async function answer(name: string, type: "A" | "AAAA"): Promise<DnsAnswer[]> {
    questions.push(`${type} ${name}`);
    const entry = zone[name];
    if (entry === undefined) throw dnsError("ENOTFOUND");
    const all = typeof entry === "function" ? await entry() : entry;
    const addresses = all.filter((address) => address.includes(":") === (type === "AAAA"));
    if (addresses.length === 0) throw dnsError("ENODATA");
    return addresses.map((address) => ({ address, ttl }));
  }

  return { questions, resolve4: (name) => answer(name, "A"), resolve6: (name) => answer(name, "AAAA") };
}

/** The resolver of production over these name servers. */
export const toResolver = (dns: DnsClient, clock = systemClock): Resolver =>
  createResolver({ clock, names: nameServers({ clock, dns }) });

/** An error as c-ares makes them. */
export const dnsError = (code: string): Error => Object.assign(new Error(`query ${code}`), { code });
