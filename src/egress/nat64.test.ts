/** Finding the network's own NAT64 prefix: how often name servers are asked, how long callers wait, and the result. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type Zone, dnsError, toResolver, scriptedDns } from "../../test/kit/servers/scripted-dns.ts";
import { createVirtualClock, settled } from "../../test/kit/world/virtual-clock.ts";
import { systemClock } from "../lib/clock.ts";
import { minutesMs, secondsMs } from "../lib/duration.ts";
import { prefixText } from "./address-bits.ts";
import { createAddressPolicy } from "./address-policy.ts";
import { createEgressGuard } from "./guard.ts";
import { createNat64 } from "./nat64.ts";

const IPV4ONLY = ["192.0.0.170", "192.0.0.171"];

function rig(zone: Zone) {
  const clock = createVirtualClock();
  const dns = scriptedDns(zone, 1);
  const nat64 = createNat64({ clock, resolver: toResolver(dns, clock) });
  return { clock, nat64, asked: () => dns.questions.filter((question) => question === "AAAA ipv4only.arpa").length };
}

const found = async (addresses: readonly string[]) => {
  const { nat64 } = rig({ "ipv4only.arpa": [...IPV4ONLY, ...addresses] });
  await nat64.refresh();
  return nat64.prefixes().map(prefixText);
};

const ANSWERS: readonly [aaaa: readonly string[], prefixes: readonly string[]][] = [
  [[], []],
  [
    ["64:ff9b::192.0.0.170", "64:ff9b::c000:ab"],
    ["64:ff9b::/96", "64:ff9b::/96"],
  ],
  [["2001:db8:64::c000:aa"], ["2001:db8:64::/96"]],
  [["2001:db8:c000:aa::"], ["2001:db8::/32"]],
  [["2001:db8:1c0:0:aa::"], ["2001:db8:100::/40"]],
  [["2001:db8:122:c000:0:aa00::"], ["2001:db8:122::/48"]],
  [["2001:db8:122:3c0:0:aa::"], ["2001:db8:122:300::/56"]],
  [["2001:db8:122:344:c0:0:aa00::"], ["2001:db8:122:344::/64"]],
  [["2606:4700::1111"], []],
  [["2001:db8::c000:ac"], []],
];
for (const [aaaa, prefixes] of ANSWERS) {
  test(`learns ${prefixes.join(" and ") || "nothing"} from ${aaaa.join(" and ") || "no IPv6 address"}`, async () => {
    assert.deepEqual(await found(aaaa), prefixes);
  });
}

test("takes sixteen prefixes at most", async () => {
  const many = Array.from({ length: 40 }, (_, place) => `2001:db8:${place + 1}::c000:aa`);
  assert.equal((await found(many)).length, 16);
});

test("asks once for all who wait, and again after ten minutes, behind the backs of those who come then", async () => {
  let addresses: readonly string[] = [...IPV4ONLY, "2001:db8:1::c000:aa"];
  const { clock, nat64, asked } = rig({ "ipv4only.arpa": () => addresses });
  await Promise.all([nat64.refresh(), nat64.refresh()]);
  await clock.advance(minutesMs(10) - 1);
  await nat64.refresh();
  assert.equal(asked(), 1);
  addresses = [...IPV4ONLY, "2001:db8:2::c000:aa"];
  await clock.advance(1);
  await nat64.refresh();
  await settled();
  assert.equal(asked(), 2);
  assert.deepEqual(nat64.prefixes().map(prefixText), ["2001:db8:2::/96"]);
});

test("keeps what it knows while the name servers fail, and asks again after a minute", async () => {
  let isDown = false;
  const answer = () => (isDown ? Promise.reject(dnsError("ESERVFAIL")) : [...IPV4ONLY, "2001:db8:1::c000:aa"]);
  const { clock, nat64, asked } = rig({ "ipv4only.arpa": answer });
  await nat64.refresh();
  isDown = true;
  await clock.advance(minutesMs(10));
  await nat64.refresh();
  await settled();
  assert.deepEqual(nat64.prefixes().map(prefixText), ["2001:db8:1::/96"]);
  await clock.advance(minutesMs(1));
  await nat64.refresh();
  await settled();
  assert.equal(asked(), 3);
});

test("a network whose name servers know no such name translates nothing, and is known", async () => {
  const { nat64 } = rig({});
  await nat64.refresh();
  assert.deepEqual([nat64.isKnown(), nat64.prefixes()], [true, []]);
});

test("no caller waits for longer than a second for silent name servers", async () => {
  const { clock, nat64 } = rig({ "ipv4only.arpa": () => Promise.withResolvers<string[]>().promise });
  let isDone = false;
  const waiting = nat64.refresh().then(() => (isDone = true));
  await clock.advance(secondsMs(1) - 1);
  assert.equal(isDone, false);
  await clock.advance(1);
  await waiting;
  assert.deepEqual([nat64.isKnown(), nat64.prefixes()], [false, []]);
});

test("the guard refuses a name that leads to a private address through the network's own prefix", async () => {
  const dns = scriptedDns({
    "ipv4only.arpa": [...IPV4ONLY, "2a00:64::c000:aa"],
    "v4.test": ["1.1.1.1"],
    "good.test": ["2a00:64::808:808"],
    "bad.test": ["2a00:64::a9fe:a9fe"],
  });
  const resolver = toResolver(dns);
  const nat64 = createNat64({ clock: systemClock, resolver });
  const policy = createAddressPolicy({ allow: [], ownAddresses: () => [], nat64Prefixes: nat64.prefixes });
  const guard = createEgressGuard({ policy, resolver, nat64 });
  assert.equal(await guard.checkUrl(new URL("https://v4.test/")), null);
  assert.ok(!dns.questions.includes("AAAA ipv4only.arpa"), "who calls IPv4 alone asks nothing more");
  assert.equal(await guard.checkUrl(new URL("https://good.test/")), null);
  assert.equal(
    await guard.checkUrl(new URL("https://bad.test/")),
    "bad.test points to 2a00:64::a9fe:a9fe, which is 169.254.169.254 behind NAT64, a cloud metadata address; " +
      "Bellwire does not call private addresses. Ask the people who run this service to allow it.",
  );
  assert.match((await guard.checkUrl(new URL("https://[2a00:64::a00:1]/"))) ?? "", /10\.0\.0\.1 behind NAT64/);
});
