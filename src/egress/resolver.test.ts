/** Names to addresses under a virtual clock, with name servers that answer when and what the test says. */
import assert from "node:assert/strict";
import { createSocket } from "node:dgram";
import { Resolver as CaresResolver } from "node:dns/promises";
import { describe, test } from "node:test";
import { dnsError, toResolver, scriptedDns } from "../../test/kit/servers/scripted-dns.ts";
import { createVirtualClock, settled } from "../../test/kit/world/virtual-clock.ts";
import type { DnsAnswer, DnsClient } from "./name-sources.ts";
import type { Resolver } from "./resolver.ts";

const never = () => Promise.withResolvers<DnsAnswer[]>().promise;

function readCode(result: Awaited<ReturnType<Resolver["resolve"]>>): string {
  return result.ok ? `resolved to ${result.value.join(" ")}` : result.error.code;
}

test("answers with every address, IPv4 before IPv6, none twice", async () => {
  const dns = scriptedDns({ "a.test": ["2606:4700::1", "1.1.1.1", "2606:4700::2", "1.0.0.1", "1.1.1.1"] });
  const result = await toResolver(dns, createVirtualClock()).resolve("a.test");
  assert.deepEqual(result, { ok: true, value: ["1.1.1.1", "1.0.0.1", "2606:4700::1", "2606:4700::2"] });
});

test("answers with the one family that there is", async () => {
  const dns = scriptedDns({ "v4.test": ["1.1.1.1"], "v6.test": ["2606:4700::1"] });
  const resolver = toResolver(dns, createVirtualClock());
  assert.deepEqual(await resolver.resolve("v4.test"), { ok: true, value: ["1.1.1.1"] });
  assert.deepEqual(await resolver.resolve("v6.test"), { ok: true, value: ["2606:4700::1"] });
});

test("answers localhost and every name under it with loopback, without asking", async () => {
  const dns = scriptedDns({ localhost: ["1.1.1.1"], "a.localhost": ["1.1.1.1"] });
  const resolver = toResolver(dns, createVirtualClock());
  for (const name of ["localhost", "LocalHost", "localhost.", "a.localhost", "a.b.localhost."]) {
    assert.deepEqual(await resolver.resolve(name), { ok: true, value: ["127.0.0.1", "::1"] }, name);
  }
  assert.deepEqual(dns.questions, []);
});

test("asks once for a name however many wait for it, whatever its case and final dot", async () => {
  const dns = scriptedDns({ "a.test": ["1.1.1.1"] });
  const resolver = toResolver(dns, createVirtualClock());
  await Promise.all(["a.test", "A.TEST", "a.test."].map((name) => resolver.resolve(name)));
  assert.deepEqual(dns.questions, ["A a.test", "AAAA a.test"]);
});

test("keeps addresses for their TTL, and never longer than a minute", async () => {
  const clock = createVirtualClock();
  const short = scriptedDns({ "a.test": ["1.1.1.1"] }, 30);
  const long = scriptedDns({ "a.test": ["1.1.1.1"] }, 86_400);
  for (const [dns, cachedMs] of [
    [short, 30_000],
    [long, 60_000],
  ] as const) {
    const resolver = toResolver(dns, clock);
    await resolver.resolve("a.test");
    await clock.advance(cachedMs - 1);
    await resolver.resolve("a.test");
    assert.equal(dns.questions.length, 2);
    await clock.advance(1);
    await resolver.resolve("a.test");
    assert.equal(dns.questions.length, 4);
  }
});

test("does not keep an address whose TTL is zero", async () => {
  const dns = scriptedDns({ "a.test": ["1.1.1.1"] }, 0);
  const resolver = toResolver(dns, createVirtualClock());
  await resolver.resolve("a.test");
  await resolver.resolve("a.test");
  assert.equal(dns.questions.length, 4);
});

test("keeps a failure for five seconds", async () => {
  const clock = createVirtualClock();
  const dns = scriptedDns({});
  const resolver = toResolver(dns, clock);
  assert.equal(readCode(await resolver.resolve("a.test")), "ENOTFOUND");
  await clock.advance(4_999);
  await resolver.resolve("a.test");
  assert.equal(dns.questions.length, 2);
  await clock.advance(1);
  await resolver.resolve("a.test");
  assert.equal(dns.questions.length, 4);
});

test("forgets the oldest name when it knows ten thousand", async () => {
  const dns = scriptedDns(Object.fromEntries(Array.from({ length: 10_001 }, (_, i) => [`n${i}.test`, ["1.1.1.1"]])));
  const resolver = toResolver(dns, createVirtualClock());
  for (let i = 0; i <= 10_000; i += 1) await resolver.resolve(`n${i}.test`);
  const asked = dns.questions.length;
  await resolver.resolve("n1.test");
  assert.equal(dns.questions.length, asked, "the second name is still known");
  await resolver.resolve("n0.test");
  assert.equal(dns.questions.length, asked + 2, "the first name is not");
});

const FAILURES: readonly [a: string, aaaa: string, code: string, words: RegExp][] = [
  ["ENOTFOUND", "ENOTFOUND", "ENOTFOUND", /does not exist/],
  ["ENODATA", "ENODATA", "ENODATA", /has no address/],
  ["ENODATA", "ESERVFAIL", "ESERVFAIL", /its name servers failed to answer/],
  ["ETIMEOUT", "ENODATA", "ETIMEOUT", /did not answer in time/],
  ["EBADNAME", "EBADNAME", "EBADNAME", /not a valid name/],
  ["ECONNREFUSED", "ECONNREFUSED", "ECONNREFUSED", /no name server can be reached/],
];

for (const [a, aaaa, code, words] of FAILURES) {
  test(`reports ${code} when A ends with ${a} and AAAA with ${aaaa}`, async () => {
    const dns: DnsClient = {
      resolve4: () => Promise.reject(dnsError(a)),
      resolve6: () => Promise.reject(dnsError(aaaa)),
    };
    const result = await toResolver(dns, createVirtualClock()).resolve("a.test");
    assert.equal(readCode(result), code);
    assert.match(result.ok ? "" : result.error.message, words);
  });
}

test("fails when a name server answers with an empty list", async () => {
  const dns: DnsClient = { resolve4: async () => [], resolve6: async () => [] };
  assert.equal(readCode(await toResolver(dns, createVirtualClock()).resolve("a.test")), "ENODATA");
});

test("gives up when no name server answers, and leaves no timer", async () => {
  const clock = createVirtualClock();
  const pending = toResolver({ resolve4: never, resolve6: never }, clock).resolve("a.test");
  await clock.advance(4_500);
  assert.equal(readCode(await pending), "ETIMEOUT");
  assert.equal(clock.pending(), 0);
});

test("uses the family that answered when the other stays silent for a second", async () => {
  const clock = createVirtualClock();
  const dns: DnsClient = { resolve4: async () => [{ address: "1.1.1.1", ttl: 60 }], resolve6: never };
  const pending = toResolver(dns, clock).resolve("a.test");
  let isDone = false;
  void pending.then(() => (isDone = true));
  await settled();
  await clock.advance(999);
  assert.equal(isDone, false);
  await clock.advance(1);
  assert.equal(readCode(await pending), "resolved to 1.1.1.1");
  assert.equal(clock.pending(), 0);
});

test("waits for the second family as long as it may, so that its addresses are checked too", async () => {
  const clock = createVirtualClock();
  const late = Promise.withResolvers<DnsAnswer[]>();
  const dns: DnsClient = { resolve4: async () => [{ address: "1.1.1.1", ttl: 60 }], resolve6: () => late.promise };
  const pending = toResolver(dns, clock).resolve("a.test");
  await settled();
  late.resolve([{ address: "::1", ttl: 60 }]);
  assert.equal(readCode(await pending), "resolved to 1.1.1.1 ::1");
  assert.equal(clock.pending(), 0);
});

/** A name server that answers each A question with 192.0.2.7 and each AAAA question with nothing. */
async function startNameServer() {
  const socket = createSocket("udp4");
  await new Promise<void>((resolve) => {
    socket.bind(0, "127.0.0.1", resolve);
  });
  socket.on("message", (question, from) => {
    const typeAt = question.indexOf(0, 12) + 1;
    const isA = question.readUInt16BE(typeAt) === 1;
    const head = Buffer.from(question.subarray(0, typeAt + 4));
    head.writeUInt16BE(0x8180, 2);
    head.writeUInt16BE(isA ? 1 : 0, 6);
    head.writeUInt16BE(0, 10);
    const answer = Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 42, 0, 4, 192, 0, 2, 7]);
    socket.send(isA ? Buffer.concat([head, answer]) : head, from.port, from.address);
  });
  return { address: `127.0.0.1:${socket.address().port}`, close: () => socket.close() };
}

test("works with the real client of Node and a name server on the wire", async () => {
  const server = await startNameServer();
  const dns = new CaresResolver({ timeout: 2_000, tries: 2 });
  dns.setServers([server.address]);
  const resolver = toResolver(dns);
  assert.deepEqual(await resolver.resolve("a.test"), { ok: true, value: ["192.0.2.7"] });
  assert.equal(readCode(await resolver.resolve("a..test")), "EBADNAME");
  server.close();
});

describe("an owner whose thousand names are all dead", () => {
  const deadNames = Array.from({ length: 1_000 }, (_, place) => `dead-${place}.test`);

  /** Names that start with "dead" are never answered; all others are answered at once. */
  function rig() {
    const clock = createVirtualClock();
    const asked: string[] = [];
    const ask = (name: string): Promise<DnsAnswer[]> => {
      asked.push(name);
      return name.startsWith("dead") ? never() : Promise.resolve([{ address: "1.1.1.1", ttl: 60 }]);
    };
    return { clock, asked, resolver: toResolver({ resolve4: ask, resolve6: ask }, clock) };
  }

  test("has 64 of them asked for at once, and delays no other owner", async () => {
    const { clock, asked, resolver } = rig();
    for (const name of deadNames) void resolver.resolve(name, "dead-owner");
    assert.equal(new Set(asked).size, 64);
    assert.equal(readCode(await resolver.resolve("alive.test", "other")), "resolved to 1.1.1.1");
    assert.equal(clock.monotonicMs(), 0);
  });

  test("delays no other owner's use of a name that waits in its queue", async () => {
    const { clock, resolver } = rig();
    for (const name of [...deadNames, "shared.test"]) void resolver.resolve(name, "dead-owner");
    assert.equal(readCode(await resolver.resolve("shared.test", "other")), "resolved to 1.1.1.1");
    assert.equal(clock.monotonicMs(), 0);
  });

  test("gets an answer for each, however late it comes to its turn, and keeps no slot and no timer", async () => {
    const { clock, asked, resolver } = rig();
    const pending = Promise.all(deadNames.map((name) => resolver.resolve(name, "dead-owner")));
    await clock.advance(4_500);
    const codes = Object.groupBy((await pending).map(readCode), (code) => code);
    assert.deepEqual(Object.keys(codes).toSorted(), ["EBUSY", "ETIMEOUT"]);
    assert.equal(codes["ETIMEOUT"]?.length, 64);
    await clock.advance(60_000);
    assert.equal(clock.pending(), 0);
    assert.equal(readCode(await resolver.resolve("alive.test", "dead-owner")), "resolved to 1.1.1.1");
    assert.ok(asked.includes("alive.test"));
  });

  test("has what was never asked for asked for again at once", async () => {
    const { clock, asked, resolver } = rig();
    for (const name of [...deadNames.slice(0, 64), "alive.test"]) void resolver.resolve(name, "dead-owner");
    await clock.advance(4_500);
    assert.equal(asked.includes("alive.test"), false);
    assert.equal(readCode(await resolver.resolve("alive.test", "dead-owner")), "resolved to 1.1.1.1");
  });
});
