/**
 * Which address and port may be connected to. Pure, and an allow-list: an IPv4 address passes only outside every
 * special block, an IPv6 address only inside the global unicast space minus the special blocks in it. `guard.ts` asks
 * at save and at every connect.
 *
 * Invariant: an IPv6 address that carries an IPv4 address is refused, even a public one: what lies behind it is decided
 * by a translator that we cannot see.
 */
import { BlockList, isIP } from "node:net";
import { type AddressFamily, isIsatap, isMappedIpv4 } from "./address-bits.ts";
import {
  type AddressRange,
  DATA_STORE_PORTS,
  GLOBAL_IPV6,
  REFUSED_IPV4,
  REFUSED_IPV6,
  SYSTEM_PORT_MAX,
  WEB_PORTS,
} from "./address-ranges.ts";
import type { EgressAllow } from "./parse-allow.ts";

export interface AddressRefusal {
  /** What was refused: the address as a whole, or only the port. */
  readonly subject: "address" | "port";
  /** What it is, as the end of a clause: "127.0.0.1 is …", "port 6379 is …". */
  readonly is: string;
  /** False: no setting opens it. */
  readonly canBeOpened: boolean;
}

export interface AddressPolicy {
  /** `null` when the address (dotted or colon form, without brackets) may be connected to at that port. */
  check(address: string, port: number): AddressRefusal | null;
}

export interface AddressPolicyOptions {
  /** What the operator opened: an entry opens its addresses, at its ports or at all of them. */
  readonly allow: readonly EgressAllow[];
  /** The addresses of this machine's interfaces; asked at each check, because they change while a process runs. */
  readonly ownAddresses: () => readonly string[];
}

export function createAddressPolicy({ allow, ownAddresses }: AddressPolicyOptions): AddressPolicy {
  const opened = allow.map((entry) => ({ ...entry, list: listOf(entry.cidr) }));
  const isOpened = (address: string, family: AddressFamily, port: number) =>
    opened.some((entry) => entry.family === family && isPortOpened(entry, port) && entry.list.check(address, family));

  return {
    check(address, port) {
      const family = familyOf(address);
      if (family === null) return forever("not an IP address");
      if (address.includes("%")) return forever("an address with a zone, which only means something on one machine");
      // The system connects these through IPv4, so no IPv6 entry may open them, however wide.
      if (isMappedIpv4(address, family)) return forever("an IPv4 address written as IPv6");
      if (isOpened(address, family, port)) return null;
      return refuseAddress(address, family) ?? refuseOwn(address, family, ownAddresses()) ?? refusePort(port);
    },
  };
}

/** One list per block, because `BlockList` says that something matched but not what. Measured: 0.3 µs a check. */
const compile = (ranges: readonly AddressRange[]) => ranges.map(({ cidr, is }) => ({ is, list: listOf(cidr) }));

const REFUSED = { ipv4: compile(REFUSED_IPV4), ipv6: compile(REFUSED_IPV6) };
const GLOBAL = listOf(GLOBAL_IPV6);

function listOf(cidr: string): BlockList {
  const [network = "", prefix] = cidr.split("/");
  const list = new BlockList();
  list.addSubnet(network, Number(prefix), network.includes(":") ? "ipv6" : "ipv4");
  return list;
}

/** `isIP` takes `fe80::1%eth0` for an IPv6 address, which is why zones have a check of their own. */
function familyOf(address: string): AddressFamily | null {
  const version = isIP(address);
  if (version === 0) return null;
  return version === 4 ? "ipv4" : "ipv6";
}

const isPortOpened = (entry: EgressAllow, port: number) =>
  entry.ports === null || entry.ports.some(({ from, to }) => port >= from && port <= to);

function refuseAddress(address: string, family: AddressFamily): AddressRefusal | null {
  const range = REFUSED[family].find(({ list }) => list.check(address, family));
  if (range !== undefined) return openable("address", range.is);
  if (family === "ipv4") return null;
  if (!GLOBAL.check(address, "ipv6")) return openable("address", "not a public address");
  return isIsatap(address) ? openable("address", "an IPv4 address tunnelled through IPv6 (ISATAP)") : null;
}

/** A packet to an own public address never leaves the machine, and so passes by the firewall in front of it. */
function refuseOwn(address: string, family: AddressFamily, own: readonly string[]): AddressRefusal | null {
  const list = new BlockList();
  for (const ownAddress of own) {
    const ownFamily = familyOf(ownAddress);
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
  canBeOpened: true,
});
const forever = (is: string): AddressRefusal => ({ subject: "address", is, canBeOpened: false });
