/** The policy on addresses as sockets see them. URLs in all their spellings are in `corpus.json`. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createAddressPolicy, createOwnAddresses } from "./address-policy.ts";
import { type Nat64Prefix, addressBits } from "./address-bits.ts";
import { ALLOCATED_IPV6 } from "./address-ranges.ts";
import { parseEgressAllow, parseEgressDeny } from "./parse-networks.ts";
import { createVirtualClock } from "../../test/kit/world/virtual-clock.ts";

interface Setup {
  readonly deny?: string;
  readonly own?: readonly string[];
  readonly nat64?: readonly Nat64Prefix[];
}

function makePolicy(allowText = "", { deny: denyText = "", own = [], nat64 = [] }: Setup = {}) {
  const allow = parseEgressAllow(allowText);
  const deny = parseEgressDeny(denyText);
  assert.ok(allow.ok && deny.ok);
  const options = { ownAddresses: () => own, nat64Prefixes: () => nat64 };
  return createAddressPolicy({ allow: allow.value, deny: deny.value, ...options });
}

const closed = makePolicy();

const isRefused = (address: string, port = 443) => closed.check(address, port) !== null;

/** The first and last address of each refused block, and the neighbours on both sides where those are public. */
const EDGES: readonly [refusedFirst: string, refusedLast: string, below: string | null, above: string | null][] = [
  ["0.0.0.0", "0.255.255.255", null, "1.0.0.0"],
  ["10.0.0.0", "10.255.255.255", "9.255.255.255", "11.0.0.0"],
  ["100.64.0.0", "100.127.255.255", "100.63.255.255", "100.128.0.0"],
  ["127.0.0.0", "127.255.255.255", "126.255.255.255", "128.0.0.0"],
  ["168.63.129.16", "168.63.129.16", "168.63.129.15", "168.63.129.17"],
  ["169.254.0.0", "169.254.255.255", "169.253.255.255", "169.255.0.0"],
  ["172.16.0.0", "172.31.255.255", "172.15.255.255", "172.32.0.0"],
  ["192.0.0.0", "192.0.0.255", "191.255.255.255", "192.0.1.0"],
  ["192.0.2.0", "192.0.2.255", "192.0.1.255", "192.0.3.0"],
  ["192.31.196.0", "192.31.196.255", "192.31.195.255", "192.31.197.0"],
  ["192.52.193.0", "192.52.193.255", "192.52.192.255", "192.52.194.0"],
  ["192.88.99.0", "192.88.99.255", "192.88.98.255", "192.88.100.0"],
  ["192.168.0.0", "192.168.255.255", "192.167.255.255", "192.169.0.0"],
  ["192.175.48.0", "192.175.48.255", "192.175.47.255", "192.175.49.0"],
  ["198.18.0.0", "198.19.255.255", "198.17.255.255", "198.20.0.0"],
  ["198.51.100.0", "198.51.100.255", "198.51.99.255", "198.51.101.0"],
  ["203.0.113.0", "203.0.113.255", "203.0.112.255", "203.0.114.0"],
  ["224.0.0.0", "255.255.255.255", "223.255.255.255", null],
  ["::", "2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff", null, "2001:200::"],
  ["2001:db8::", "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff", "2001:db7:ffff::1", "2001:db9::"],
  ["2001:c000::", "2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "2001:bfff:ffff::1", "2003::"],
  ["2620:4f:8000::", "2620:4f:8000:ffff:ffff:ffff:ffff:ffff", "2620:4f:7fff::1", "2620:4f:8001::"],
  ["2003:4000::", "23ff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "2003:3fff::1", "2400::"],
  ["2420::", "25ff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "241f:ffff::1", "2600::"],
  ["2c10::", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "2c0f:ffff::1", null],
];

for (const [first, last, below, above] of EDGES) {
  test(`refuses ${first} to ${last} and neither neighbour`, () => {
    assert.equal(isRefused(first), true, first);
    assert.equal(isRefused(last), true, last);
    for (const neighbour of [below, above])
      if (neighbour !== null) assert.equal(isRefused(neighbour), false, neighbour);
  });
}

const WORDS: readonly [address: string, is: RegExp][] = [
  ["127.0.0.1", /^a loopback address$/],
  ["169.254.169.254", /^a cloud metadata address$/],
  ["192.168.1.1", /^a private address$/],
  ["::1", /^a loopback address$/],
  ["::7f00:1", /IPv4 address written as IPv6/],
  ["::ffff:8.8.8.8", /IPv4 address written as IPv6/],
  ["::ffff:0:7f00:1", /translated/],
  ["64:ff9b::8.8.8.8", /^an IPv4 address behind NAT64$/],
  ["64:ff9b:1::1", /NAT64/],
  ["2002:808:808::1", /6to4/],
  ["2001:0:4136:e378:8000:63bf:3fff:fdd2", /Teredo/],
  ["2606:4700::5efe:8.8.8.8", /ISATAP/],
  ["2606:4700::200:5efe:808:808", /ISATAP/],
  ["fd00:ec2::254", /^a private address$/],
  ["fe80::1", /link-local/],
  ["fe80::1%eth0", /zone/],
  ["2606:4700::1%1", /zone/],
  ["5f00::1", /routers/],
  ["1234::1", /^not a public address$/],
  ["3000::1", /^an address that is not allocated to any network$/],
  ["2d00::1", /^an address that is not allocated to any network$/],
  ["64:ff9b::7f00:1", /^127\.0\.0\.1 behind NAT64, a loopback address$/],
  ["localhost", /^not an IP address$/],
  ["127.1", /^not an IP address$/],
  ["", /^not an IP address$/],
];

for (const [address, is] of WORDS) {
  test(`says what ${JSON.stringify(address)} is`, () => {
    assert.match(closed.check(address, 443)?.is ?? "allowed", is);
  });
}

test("takes an interface id that only resembles ISATAP", () => {
  assert.equal(isRefused("2606:4700::100:5efe:808:808"), false);
  assert.equal(isRefused("2606:4700::5eff:808:808"), false);
});

test("refuses the addresses of this machine, as they are when it is asked", () => {
  const own = ["1.1.1.1"];
  const policy = createAddressPolicy({ allow: [], ownAddresses: () => own });
  assert.equal(policy.check("1.1.1.1", 443)?.is, "an address of this machine");
  assert.equal(policy.check("2606:4700::1111", 443), null);
  own.push("2606:4700:0::1111", "fe80::1%eth0");
  assert.equal(policy.check("2606:4700::1111", 443)?.is, "an address of this machine");
});

test("refuses system ports and the ports of data stores", () => {
  for (const port of [0, 1, 22, 25, 53, 79, 81, 442, 444, 1023, 2375, 3306, 5432, 6379, 9200, 11211, 27017]) {
    assert.equal(closed.check("1.1.1.1", port)?.subject, "port", `${port}`);
  }
  for (const port of [80, 443, 1024, 3000, 8080, 8443, 65535]) assert.equal(closed.check("1.1.1.1", port), null);
});

test("opens what the operator allows, address and port together", () => {
  const policy = makePolicy("127.0.0.0/8, 10.1.2.0/24:22+8000-8099, [fd00::/8]:443, 1.1.1.1:25, ::1");
  const opened: [string, number][] = [
    ["127.0.0.1", 1],
    ["127.255.255.255", 5432],
    ["10.1.2.3", 22],
    ["10.1.2.3", 8000],
    ["10.1.2.255", 8099],
    ["fd00::1", 443],
    ["1.1.1.1", 25],
    ["1.1.1.1", 443],
    ["::1", 5432],
  ];
  for (const [address, port] of opened) assert.equal(policy.check(address, port), null, `${address} ${port}`);
  const stillClosed: [string, number][] = [
    ["10.1.2.3", 443],
    ["10.1.2.3", 8100],
    ["10.1.3.1", 8000],
    ["fd00::1", 80],
    ["1.1.1.1", 26],
    ["1.1.1.2", 25],
    ["::ffff:127.0.0.1", 80],
    ["::7f00:1", 80],
  ];
  for (const [address, port] of stillClosed) assert.notEqual(policy.check(address, port), null, `${address} ${port}`);
});

test("opens an own address that the operator allows", () => {
  assert.equal(makePolicy("1.1.1.1", { own: ["1.1.1.1"] }).check("1.1.1.1", 443), null);
});

test("says that no setting opens a mapped address or a zone", () => {
  assert.equal(closed.check("::ffff:10.0.0.1", 443)?.opened, "never");
  assert.equal(closed.check("fe80::1%eth0", 443)?.opened, "never");
  assert.equal(closed.check("10.0.0.1", 443)?.opened, "by_allow");
});

test("takes each block that IANA has allocated for global unicast, and refuses what lies between them", () => {
  const blocks = ALLOCATED_IPV6.map((cidr) => {
    const [network = "", length] = cidr.split("/");
    const size = 1n << BigInt(128 - Number(length));
    const first = addressBits(network, "ipv6");
    return { cidr, first, last: first + size - 1n };
  });
  const isReserved = (cidr: string) => cidr === "2001::/23" || cidr === "2002::/16";
  for (const { cidr, first, last } of blocks) {
    for (const bits of [first, last]) assert.equal(isRefused(toText(bits)), isReserved(cidr), toText(bits));
    for (const bits of [first - 1n, last + 1n]) {
      const isAllocated = blocks.some((block) => !isReserved(block.cidr) && bits >= block.first && bits <= block.last);
      assert.equal(isRefused(toText(bits)), !isAllocated, toText(bits));
    }
  }
  assert.equal(blocks.length, 36);
});

const toText = (bits: bigint): string =>
  Array.from({ length: 8 }, (_, place) => ((bits >> BigInt(112 - 16 * place)) & 0xffffn).toString(16)).join(":");

test("closes what the operator denies, whatever else opens it, and at the named ports only", () => {
  const policy = makePolicy("10.0.0.0/8, 2a00:1450::/32", {
    deny: "11.0.0.0/8 10.1.0.0/16:8000-8099 2a00:1450::/32 8.8.8.8",
  });
  const denied: [string, number][] = [
    ["11.0.0.0", 443],
    ["11.255.255.255", 80],
    ["10.1.2.3", 8000],
    ["10.1.2.3", 8099],
    ["2a00:1450::1", 443],
    ["8.8.8.8", 443],
  ];
  for (const [address, port] of denied)
    assert.equal(policy.check(address, port)?.opened, "closed", `${address} ${port}`);
  const open: [string, number][] = [
    ["12.0.0.0", 443],
    ["10.1.2.3", 443],
    ["10.2.2.3", 8000],
    ["8.8.4.4", 443],
  ];
  for (const [address, port] of open) assert.equal(policy.check(address, port), null, `${address} ${port}`);
});

test("all of IPv6 can be closed", () => {
  const policy = makePolicy("", { deny: "::/0" });
  assert.equal(policy.check("2606:4700::1111", 443)?.opened, "closed");
  assert.equal(policy.check("1.1.1.1", 443), null);
});

const NAT64: Nat64Prefix = { network: addressBits("2a00:64::", "ipv6"), length: 96 };

test("asks about the IPv4 address behind the network's own NAT64 prefix", () => {
  const policy = makePolicy("", { nat64: [NAT64], own: ["9.9.9.9"], deny: "11.0.0.0/8" });
  assert.equal(policy.check("2a00:64::8.8.8.8", 443), null);
  assert.equal(policy.check("2a00:64::1:808:808", 443), null, "another network");
  const refused: [string, RegExp][] = [
    ["2a00:64::127.0.0.1", /^127\.0\.0\.1 behind NAT64, a loopback address$/],
    ["2a00:64::a9fe:a9fe", /^169\.254\.169\.254 behind NAT64, a cloud metadata address$/],
    ["2a00:64::10.0.0.1", /^10\.0\.0\.1 behind NAT64, a private address$/],
    ["2a00:64::9.9.9.9", /behind NAT64, an address of this machine$/],
    ["2a00:64::11.0.0.1", /behind NAT64, in a network that is closed$/],
  ];
  for (const [address, is] of refused) assert.match(policy.check(address, 443)?.is ?? "allowed", is, address);
  assert.equal(closed.check("2a00:64::10.0.0.1", 443), null, "nobody else knows that it is a translator's");
});

test("opening a NAT64 prefix opens no private IPv4 address behind it, unless that is opened too", () => {
  const policy = makePolicy("64:ff9b::/96 fd00:64::/96 10.1.0.0/16:8443", {
    nat64: [{ network: addressBits("fd00:64::", "ipv6"), length: 96 }],
  });
  for (const prefix of ["64:ff9b::", "fd00:64::"]) {
    assert.equal(policy.check(`${prefix}8.8.8.8`, 443), null);
    assert.equal(policy.check(`${prefix}10.1.2.3`, 8443), null);
    for (const ipv4 of ["10.1.2.3", "169.254.169.254", "127.0.0.1"]) {
      assert.match(policy.check(`${prefix}${ipv4}`, 443)?.is ?? "allowed", /behind NAT64/, ipv4);
    }
  }
});

/** RFC 6052 §2.4: 192.0.2.33 below a prefix of each length. */
const EMBEDDINGS: readonly [address: string, length: Nat64Prefix["length"]][] = [
  ["2001:db8:c000:221::", 32],
  ["2001:db8:1c0:2:21::", 40],
  ["2001:db8:122:c000:2:2100::", 48],
  ["2001:db8:122:3c0:0:221::", 56],
  ["2001:db8:122:344:c0:2:2100::", 64],
  ["2001:db8:122:344::192.0.2.33", 96],
];
for (const [address, length] of EMBEDDINGS) {
  test(`reads the IPv4 address behind a prefix of ${length} bits, as RFC 6052 writes it`, () => {
    const policy = makePolicy("2001:db8::/32", { nat64: [{ network: addressBits(address, "ipv6"), length }] });
    assert.equal(policy.check(address, 443)?.is, "192.0.2.33 behind NAT64, an address for documentation");
  });
}

test("lists the loopback address of this machine", () => {
  const addresses = createOwnAddresses(createVirtualClock())();
  assert.ok(addresses.includes("127.0.0.1"), addresses.join(" "));
});

test("reads the interfaces again after five seconds", async () => {
  const clock = createVirtualClock();
  let reads = 0;
  const own = createOwnAddresses(clock, () => [`10.0.0.${(reads += 1)}`]);
  assert.deepEqual([...own(), ...own()], ["10.0.0.1", "10.0.0.1"]);
  await clock.advance(4_999);
  assert.deepEqual(own(), ["10.0.0.1"]);
  await clock.advance(1);
  assert.deepEqual(own(), ["10.0.0.2"]);
});
