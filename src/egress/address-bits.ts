/**
 * An IP address as one number, for questions that a list of blocks cannot answer: the bits behind a prefix, and the
 * middle of an IPv6 address. Pure. The address must be one that `net.isIP` accepts, without a zone.
 */
export type AddressFamily = "ipv4" | "ipv6";

export const ADDRESS_BITS = { ipv4: 32, ipv6: 128 } as const;

/** 32 or 128 bits; the first byte of the address is the highest. */
export function addressBits(address: string, family: AddressFamily): bigint {
  return family === "ipv4" ? joinBits(address.split(".").map(Number), 8n) : joinBits(ipv6Groups(address), 16n);
}

/** `::ffff:a.b.c.d`: the system connects it through IPv4. */
export function isMappedIpv4(address: string, family: AddressFamily): boolean {
  return family === "ipv6" && addressBits(address, family) >> 32n === 0xffffn;
}

/** RFC 5214: the interface id is `0000:5efe` or `0200:5efe`, then the IPv4 address, under any prefix. */
export function isIsatap(address: string): boolean {
  const interfaceIdHigh = (addressBits(address, "ipv6") >> 32n) & 0xffff_ffffn;
  return (interfaceIdHigh & ~0x0200_0000n) === 0x5efen;
}

/** RFC 6052 §2.2: the possible lengths of a NAT64 prefix. */
export const NAT64_PREFIX_LENGTHS = [32, 40, 48, 56, 64, 96] as const;

export interface Nat64Prefix {
  /** Bits behind the length are zero. */
  readonly network: bigint;
  readonly length: (typeof NAT64_PREFIX_LENGTHS)[number];
}

/** `64:ff9b::/96`, which every network may use. */
export const WELL_KNOWN_NAT64: Nat64Prefix = { network: 0x64_ff9bn << 96n, length: 96 };

export const isBelow = ({ network, length }: Nat64Prefix, bits: bigint): boolean =>
  bits >> BigInt(128 - length) === network >> BigInt(128 - length);

/** The usual notation: `2001:db8:64::/96`. */
export function prefixText({ network, length }: Nat64Prefix): string {
  const groups = Array.from({ length: 8 }, (_, place) => (network >> BigInt(112 - 16 * place)) & 0xffffn);
  const text = groups.map((group) => group.toString(16)).join(":");
  return `${text.replace(/(?::0)+$/, "::")}/${length}`;
}

/** RFC 6052 §2.2: the IPv4 address stands behind the prefix, with bits 64 to 71 left out of it. */
export function embeddedIpv4(bits: bigint, length: Nat64Prefix["length"]): string {
  const withoutU = ((bits >> 64n) << 56n) | (bits & 0xff_ffff_ffff_ffffn);
  const ipv4 = (length === 96 ? bits : withoutU >> BigInt(88 - length)) & 0xffff_ffffn;
  return [24n, 16n, 8n, 0n].map((shift) => (ipv4 >> shift) & 0xffn).join(".");
}

const joinBits = (parts: readonly number[], width: bigint): bigint =>
  parts.reduce((bits, part) => (bits << width) | BigInt(part), 0n);

/** Eight groups of 16 bits, with the zeros of `::` filled in. */
function ipv6Groups(address: string): number[] {
  const [head = "", tail] = address.split("::");
  const left = parseGroups(head);
  if (tail === undefined) return left;
  const right = parseGroups(tail);
  return [...left, ...Array<number>(8 - left.length - right.length).fill(0), ...right];
}

/** The last group may be a dotted IPv4 address, which counts as two. */
function parseGroups(text: string): number[] {
  if (text === "") return [];
  return text.split(":").flatMap((group) => (group.includes(".") ? parseDotted(group) : [Number.parseInt(group, 16)]));
}

function parseDotted(text: string): number[] {
  const [a = 0, b = 0, c = 0, d = 0] = text.split(".").map(Number);
  return [a * 256 + b, c * 256 + d];
}
