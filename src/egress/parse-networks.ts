/**
 * Reads `BELLWIRE_EGRESS_ALLOW`, the networks that may be called although the address policy would refuse them, and
 * `BELLWIRE_EGRESS_DENY`, the networks that must not be called although the policy would allow them. The addresses of
 * `BELLWIRE_SOURCE_ADDRESSES` are written in the same way.
 *
 *     entries    127.0.0.0/8, ::1/128, 10.1.2.0/24:8443        separated by commas or white space
 *     network    an address, or an address and a prefix length  10.1.2.3   10.1.2.0/24   fd00::/8
 *     ports      a colon, then ports and ranges joined by "+"   10.1.2.0/24:8443   10.1.2.3:80+8000-8099
 *     IPv6       brackets when ports follow                     [fd00::/8]:8443
 *
 * An entry without ports covers every port of its addresses. No entry opens everything, and names are not accepted:
 * another name can point to the same address, so that closing one name closes nothing.
 */
import { isIP } from "node:net";
import type { Result } from "../domain/problem.ts";
import { ok, refuse } from "../lib/result.ts";
import { ADDRESS_BITS, type AddressFamily, addressBits, isMappedIpv4 } from "./address-bits.ts";

export interface PortRange {
  readonly from: number;
  readonly to: number;
}

export interface NetworkEntry {
  /** With its prefix length, host bits zero. */
  readonly cidr: string;
  readonly family: AddressFamily;
  /** `null` means every port. */
  readonly ports: readonly PortRange[] | null;
}

type PrefixMin = Readonly<Record<AddressFamily, number>>;

/**
 * Wider networks cannot be opened: that would be an "off" switch. The widest private networks are 10/8 and fc00::/7.
 */
const OPENED_PREFIX_MIN: PrefixMin = { ipv4: 8, ipv6: 7 };
/** A whole family may be closed. */
const CLOSED_PREFIX_MIN: PrefixMin = { ipv4: 0, ipv6: 0 };
const SOURCE_PREFIX_MIN: PrefixMin = { ipv4: 8, ipv6: 16 };
const PORT_MAX = 65_535;
const ENTRIES_MAX = 100;

/** The entries of the setting's text; none for an empty text. Every mistake is reported, and names its entry. */
export const parseEgressAllow = (text: string): Result<NetworkEntry[], string[]> =>
  parseEntries(text, OPENED_PREFIX_MIN);

/** The same, without a limit on the width. */
export const parseEgressDeny = (text: string): Result<NetworkEntry[], string[]> =>
  parseEntries(text, CLOSED_PREFIX_MIN);

/**
 * `BELLWIRE_SOURCE_ADDRESSES`: the addresses that webhooks come from, for receivers' firewalls. They have no ports,
 * since a connection leaves from any, and a network must not be so wide that it lets in half of the Internet.
 */
export const parseSourceAddresses = (text: string): Result<NetworkEntry[], string[]> =>
  parseAddresses(text, "webhooks leave from any port");

/** `BELLWIRE_TRUSTED_PROXIES`, with the same limits: who trusts everybody lets callers choose their own address. */
export const parseTrustedProxies = (text: string): Result<NetworkEntry[], string[]> =>
  parseAddresses(text, "proxies call from any port");

function parseAddresses(text: string, why: string): Result<NetworkEntry[], string[]> {
  const parsed = parseEntries(text, SOURCE_PREFIX_MIN);
  if (!parsed.ok) return parsed;
  const withPorts = parsed.value.filter(({ ports }) => ports !== null).map(showNetwork);
  if (withPorts.length === 0) return parsed;
  return refuse(withPorts.map((entry) => `"${entry}" has a port; write the address alone: ${why}`));
}

/** As people write it into a firewall: one machine without a prefix length. */
export const showAddress = ({ cidr, family }: NetworkEntry): string =>
  cidr.endsWith(`/${ADDRESS_BITS[family]}`) ? cidr.slice(0, cidr.lastIndexOf("/")) : cidr;

/** The entry in the setting's own syntax. */
export function showNetwork({ cidr, family, ports }: NetworkEntry): string {
  if (ports === null) return cidr;
  return `${family === "ipv6" ? `[${cidr}]` : cidr}:${ports.map(showPorts).join("+")}`;
}

const showPorts = ({ from, to }: PortRange): string => (from === to ? String(from) : `${from}-${to}`);

function parseEntries(text: string, prefixMin: PrefixMin): Result<NetworkEntry[], string[]> {
  const entries = text.split(/[\s,]+/).filter((entry) => entry !== "");
  if (entries.length > ENTRIES_MAX) return refuse([`has ${entries.length} entries; at most ${ENTRIES_MAX} are taken`]);
  const parsed = entries.map((entry) => parseEntry(entry, prefixMin));
  const errors = parsed.flatMap((result) => (result.ok ? [] : [result.error]));
  return errors.length > 0 ? refuse(errors) : ok(parsed.flatMap((result) => (result.ok ? [result.value] : [])));
}

function parseEntry(entry: string, prefixMin: PrefixMin): Result<NetworkEntry, string> {
  const parts = splitPorts(entry);
  if (parts === null) {
    return refuse(`"${entry}" has a bracket in the wrong place; write an IPv6 network with a port as [fd00::/8]:8443`);
  }
  const network = parseNetwork(entry, parts.network, prefixMin);
  if (!network.ok) return network;
  const ports = parts.ports === null ? ok(null) : parsePorts(entry, parts.ports);
  return ports.ok ? ok({ ...network.value, ports: ports.value }) : ports;
}

/** Outside of brackets, one colon begins the ports; more than one make it an IPv6 network without ports. */
function splitPorts(entry: string): { network: string; ports: string | null } | null {
  const bracketed = /^\[([^\][]*)\](?::(.*))?$/.exec(entry);
  if (bracketed !== null) return { network: bracketed[1] ?? "", ports: bracketed[2] ?? null };
  if (/[\][]/.test(entry)) return null;
  const [network = "", ports, ...more] = entry.split(":");
  return more.length > 0 ? { network: entry, ports: null } : { network, ports: ports ?? null };
}

function parseNetwork(
  entry: string,
  network: string,
  prefixMin: PrefixMin,
): Result<Pick<NetworkEntry, "cidr" | "family">, string> {
  const [address = "", prefixText, ...more] = network.split("/");
  const version = address.includes("%") ? 0 : isIP(address);
  if (version === 0 || more.length > 0) {
    return refuse(`"${entry}" is not a network; write an address such as 10.1.2.3, or a network such as 10.1.2.0/24`);
  }
  const family = version === 4 ? "ipv4" : "ipv6";
  const prefix = prefixText === undefined ? ADDRESS_BITS[family] : parseWholeNumber(prefixText);
  if (prefix === null || prefix > ADDRESS_BITS[family]) {
    return refuse(
      `"${entry}" has no valid prefix length; write a number from 0 to ${ADDRESS_BITS[family]} after the "/"`,
    );
  }
  if (prefix < prefixMin[family]) {
    const widest = `the widest network that is taken here has a prefix length of ${prefixMin[family]}`;
    return refuse(`"${entry}" is too wide; ${widest}`);
  }
  const problem = findProblem(address, family, prefix);
  return problem === null ? ok({ cidr: `${address}/${prefix}`, family }) : refuse(`"${entry}" ${problem}`);
}

function findProblem(address: string, family: AddressFamily, prefix: number): string | null {
  if (isMappedIpv4(address, family)) return "is an IPv4 address written as IPv6; write it as IPv4";
  if (hasHostBits(address, family, prefix)) {
    return `has bits set behind its prefix length; write the network's first address, or "${address}" alone`;
  }
  return null;
}

/** Most often a slip such as 10.1.2.3/24, where one machine was meant and a whole network would be opened or closed. */
function hasHostBits(address: string, family: AddressFamily, prefix: number): boolean {
  const hostMask = (1n << BigInt(ADDRESS_BITS[family] - prefix)) - 1n;
  return (addressBits(address, family) & hostMask) !== 0n;
}

function parsePorts(entry: string, text: string): Result<PortRange[], string> {
  const ranges = text.split("+").map(parsePortRange);
  if (ranges.includes(null)) {
    return refuse(`"${entry}" has no valid ports; write them from 1 to ${PORT_MAX}, such as :8443 or :80+8000-8099`);
  }
  return ok(ranges.filter((range) => range !== null));
}

function parsePortRange(text: string): PortRange | null {
  const [fromText = "", toText = fromText, ...more] = text.split("-");
  const from = parseWholeNumber(fromText);
  const to = parseWholeNumber(toText);
  if (from === null || to === null || more.length > 0) return null;
  return from >= 1 && from <= to && to <= PORT_MAX ? { from, to } : null;
}

/** Digits only: `Number` would also take "", "0x10" and "1e3". */
const parseWholeNumber = (text: string): number | null => (/^\d{1,5}$/.test(text) ? Number(text) : null);
