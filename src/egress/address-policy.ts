/**
 * The policy on addresses and ports. Pure, and an allow-list: an IPv4 address passes only outside every special block,
 * an IPv6 address only inside the blocks allocated for global unicast, minus the special blocks in them. `guard.ts`
 * asks at save and at every connect.
 *
 *     written in a way that is never taken ──► closed by the operator ──► behind NAT64: what is there?
 *     ──► opened by the operator ──► special blocks, own addresses, ports
 *
 * Invariants: an address that the operator closes stays closed, whatever opens it. An IPv6 address that carries an IPv4
 * address is refused, even a public one, since a translator that we cannot see decides where it leads. Below a NAT64
 * prefix the IPv4 address must pass by itself too, also where the operator has opened the prefix.
 */
import { BlockList, isIP } from "node:net";
import {
  type AddressFamily,
  type Nat64Prefix,
  WELL_KNOWN_NAT64,
  addressBits,
  embeddedIpv4,
  isBelow,
  isIsatap,
  isMappedIpv4,
} from "./address-bits.ts";
import {
  ALLOCATED_IPV6,
  type AddressRange,
  DATA_STORE_PORTS,
  GLOBAL_IPV6,
  REFUSED_IPV4,
  REFUSED_IPV6,
  SYSTEM_PORT_MAX,
  WEB_PORTS,
} from "./address-ranges.ts";
import type { NetworkEntry } from "./parse-networks.ts";
import { networkInterfaces } from "node:os";
import type { Clock } from "../lib/clock.ts";
import { secondsMs } from "../lib/duration.ts";

export interface AddressRefusal {
  /** The refused part: the whole address, or only the port. */
  readonly subject: "address" | "port";
  /** The reason, as the end of a clause: "127.0.0.1 is …", "port 6379 is …". */
  readonly is: string;
  /**
   * `by_allow`: `BELLWIRE_EGRESS_ALLOW` can open it. `closed`: `BELLWIRE_EGRESS_DENY` refused it. `never`: no setting
   * opens it.
   */
  readonly opened: "by_allow" | "closed" | "never";
}

export interface AddressPolicy {
  /** `null` when the address (dotted or colon form, without brackets) may be connected to at that port. */
  check(address: string, port: number): AddressRefusal | null;
}

export interface AddressPolicyOptions {
  /** The operator's openings: an entry opens its addresses, at its ports or at all of them. */
  readonly allow: readonly NetworkEntry[];
  /** The operator's closings, which win over everything else. */
  readonly deny?: readonly NetworkEntry[];
  /** The addresses of this machine's interfaces; asked at each check, because they change while a process runs. */
  readonly ownAddresses: () => readonly string[];
  /** The prefixes below which this network translates IPv4, as far as they are known; asked at each check. */
  readonly nat64Prefixes?: () => readonly Nat64Prefix[];
}

export function createAddressPolicy(options: AddressPolicyOptions): AddressPolicy {
  const { allow, deny = [], ownAddresses, nat64Prefixes = () => [] } = options;
  const isOpened = makeMatcher(allow);
  const isClosed = makeMatcher(deny);

  /** Judges the address by itself, at any port. */
  function judge(address: string, family: AddressFamily, port: number): AddressRefusal | "opened" | null {
    if (isClosed(address, family, port)) return CLOSED;
    const behind = family === "ipv6" ? translated(address, port) : null;
    if (behind !== null) return behind;
    if (isOpened(address, family, port)) return "opened";
    return refuseAddress(address, family) ?? refuseOwn(address, family, ownAddresses());
  }

  function translated(address: string, port: number): AddressRefusal | null {
    const bits = addressBits(address, "ipv6");
    for (const prefix of [WELL_KNOWN_NAT64, ...nat64Prefixes()]) {
      const ipv4 = isBelow(prefix, bits) ? embeddedIpv4(bits, prefix.length) : null;
      const found = ipv4 === null ? null : judge(ipv4, "ipv4", port);
      if (found !== null && found !== "opened") return { ...found, is: `${ipv4} behind NAT64, ${found.is}` };
    }
    return null;
  }

  return {
    check(address, port) {
      const family = readFamily(address);
      if (family === null) return forever("not an IP address");
      if (address.includes("%")) return forever("an address with a zone, which only means something on one machine");
      // The system connects these through IPv4, so no IPv6 entry may open them, however wide.
      if (isMappedIpv4(address, family)) return forever("an IPv4 address written as IPv6");
      const found = judge(address, family, port);
      return found === "opened" ? null : (found ?? refusePort(port));
    },
  };
}

type Matcher = (address: string, family: AddressFamily, port: number) => boolean;

function makeMatcher(entries: readonly NetworkEntry[]): Matcher {
  const compiled = entries.map((entry) => ({ ...entry, list: toBlockList(entry.cidr) }));
  return (address, family, port) =>
    compiled.some((entry) => entry.family === family && isPortNamed(entry, port) && entry.list.check(address, family));
}

/** One list for each block, because `BlockList` reports a match but not the block. Measured: 0.3 µs a check. */
const compile = (ranges: readonly AddressRange[]) => ranges.map(({ cidr, is }) => ({ is, list: toBlockList(cidr) }));

const REFUSED = { ipv4: compile(REFUSED_IPV4), ipv6: compile(REFUSED_IPV6) };
const GLOBAL = toBlockList(GLOBAL_IPV6);
const ALLOCATED = ALLOCATED_IPV6.map(toBlockList);

function toBlockList(cidr: string): BlockList {
  const [network = "", prefix] = cidr.split("/");
  const list = new BlockList();
  list.addSubnet(network, Number(prefix), network.includes(":") ? "ipv6" : "ipv4");
  return list;
}

/** `isIP` takes `fe80::1%eth0` for an IPv6 address, which is why zones have a check of their own. */
function readFamily(address: string): AddressFamily | null {
  const version = isIP(address);
  if (version === 0) return null;
  return version === 4 ? "ipv4" : "ipv6";
}

const isPortNamed = (entry: NetworkEntry, port: number) =>
  entry.ports === null || entry.ports.some(({ from, to }) => port >= from && port <= to);

function refuseAddress(address: string, family: AddressFamily): AddressRefusal | null {
  const range = REFUSED[family].find(({ list }) => list.check(address, family));
  if (range !== undefined) return openable("address", range.is);
  if (family === "ipv4") return null;
  if (!GLOBAL.check(address, "ipv6")) return openable("address", "not a public address");
  if (!ALLOCATED.some((list) => list.check(address, "ipv6"))) {
    return openable("address", "an address that is not allocated to any network");
  }
  return isIsatap(address) ? openable("address", "an IPv4 address tunnelled through IPv6 (ISATAP)") : null;
}

/** A packet to one's own public address never leaves the machine, and so bypasses the firewall in front of it. */
function refuseOwn(address: string, family: AddressFamily, own: readonly string[]): AddressRefusal | null {
  const list = new BlockList();
  for (const ownAddress of own) {
    const ownFamily = readFamily(ownAddress);
    if (ownFamily === family && !ownAddress.includes("%")) list.addAddress(ownAddress, family);
  }
  return list.check(address, family) ? openable("address", "an address of this machine") : null;
}

function refusePort(port: number): AddressRefusal | null {
  if (WEB_PORTS.has(port)) return null;
  if (port <= SYSTEM_PORT_MAX) return openable("port", "a system port");
  const system = DATA_STORE_PORTS.get(port);
  return system === undefined ? null : openable("port", `the port of ${system}`);
}

const openable = (subject: AddressRefusal["subject"], is: string): AddressRefusal => ({
  subject,
  is,
  opened: "by_allow",
});
const forever = (is: string): AddressRefusal => ({ subject: "address", is, opened: "never" });

const CLOSED: AddressRefusal = { subject: "address", is: "in a network that is closed", opened: "closed" };

/** Guess. Reading costs about 40 µs, so a check reads only when the last answer is older than this. */
const OWN_CACHED_MS = secondsMs(5);

/**
 * A function that lists the addresses of this machine's interfaces, at most `OWN_CACHED_MS` old: an interface can come
 * up, or an address move here, long after the process started.
 */
export function createOwnAddresses(clock: Clock, read = readInterfaces): () => readonly string[] {
  let addresses: readonly string[] = [];
  let readAtMs = Number.NEGATIVE_INFINITY;
  return () => {
    const nowMs = clock.monotonicMs();
    if (nowMs - readAtMs >= OWN_CACHED_MS) {
      addresses = read();
      readAtMs = nowMs;
    }
    return addresses;
  };
}

function readInterfaces(): string[] {
  return Object.values(networkInterfaces()).flatMap((list) => (list ?? []).map(({ address }) => address));
}
