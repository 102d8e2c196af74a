/** `BELLWIRE_EGRESS_ALLOW` and `_DENY`: the accepted entries, and the message for each mistake. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { parseEgressAllow, parseEgressDeny, showNetwork } from "./parse-networks.ts";

const readEntries = (text: string) => {
  const result = parseEgressAllow(text);
  assert.ok(result.ok, JSON.stringify(result));
  return result.value;
};

const readErrors = (text: string) => {
  const result = parseEgressAllow(text);
  assert.ok(!result.ok, `taken: ${JSON.stringify(result)}`);
  return result.error;
};

test("opens nothing when the text is empty", () => {
  assert.deepEqual(readEntries(""), []);
  assert.deepEqual(readEntries(" , \n"), []);
});

test("reads networks, addresses and ports of both families", () => {
  assert.deepEqual(
    readEntries("127.0.0.0/8, ::1/128\n10.1.2.0/24:8443,10.1.2.3 10.1.2.3:80+8000-8099 [fd00::/8]:443,[::1]"),
    [
      { cidr: "127.0.0.0/8", family: "ipv4", ports: null },
      { cidr: "::1/128", family: "ipv6", ports: null },
      { cidr: "10.1.2.0/24", family: "ipv4", ports: [{ from: 8443, to: 8443 }] },
      { cidr: "10.1.2.3/32", family: "ipv4", ports: null },
      {
        cidr: "10.1.2.3/32",
        family: "ipv4",
        ports: [
          { from: 80, to: 80 },
          { from: 8000, to: 8099 },
        ],
      },
      { cidr: "fd00::/8", family: "ipv6", ports: [{ from: 443, to: 443 }] },
      { cidr: "::1/128", family: "ipv6", ports: null },
    ],
  );
});

const MISTAKES: readonly [entry: string, message: RegExp][] = [
  ["localhost", /is not a network; write an address such as/],
  ["hooks.internal:443", /is not a network/],
  ["10.0.0", /is not a network/],
  ["10.0.0.0/8/8", /is not a network/],
  ["http://10.0.0.1", /is not a network/],
  ["fe80::1%eth0", /is not a network/],
  ["10.0.0.0/33", /no valid prefix length; write a number from 0 to 32/],
  ["10.0.0.0/", /no valid prefix length/],
  ["10.0.0.0/0x8", /no valid prefix length/],
  ["fd00::/129", /no valid prefix length; write a number from 0 to 128/],
  ["10.1.2.3/24", /bits set behind its prefix length.*"10\.1\.2\.3" alone/],
  ["fd00::1/8", /bits set behind its prefix length/],
  ["0.0.0.0/0", /is too wide; the widest.*prefix length of 8/],
  ["0.0.0.0/1", /is too wide/],
  ["::/0", /is too wide; the widest.*prefix length of 7/],
  ["::ffff:127.0.0.1", /IPv4 address written as IPv6; write it as IPv4/],
  ["10.0.0.1:", /no valid ports; write them from 1 to 65535/],
  ["10.0.0.1:0", /no valid ports/],
  ["10.0.0.1:65536", /no valid ports/],
  ["10.0.0.1:90-80", /no valid ports/],
  ["10.0.0.1:80-90-100", /no valid ports/],
  ["10.0.0.1:80+", /no valid ports/],
  ["10.0.0.1:https", /no valid ports/],
  ["[fd00::/8]:", /no valid ports/],
  ["[fd00::/8", /bracket in the wrong place; write .*\[fd00::\/8\]:8443/],
  ["[fd00::/8]8443", /bracket in the wrong place/],
  ["[10.0.0.1:80", /bracket in the wrong place/],
];

for (const [entry, message] of MISTAKES) {
  test(`explains what is wrong with ${entry}`, () => {
    const [error, ...more] = readErrors(`127.0.0.1 ${entry}`);
    assert.match(error ?? "", message);
    assert.ok(error?.startsWith(`"${entry}" `), "the entry is named");
    assert.deepEqual(more, []);
  });
}

test("reports every mistake at once", () => {
  assert.equal(readErrors("localhost, 10.0.0.1, 10.0.0.0/99, ::/0").length, 3);
});

test("bounds the number of entries", () => {
  assert.equal(readEntries(Array(100).fill("10.0.0.1").join(" ")).length, 100);
  assert.match(readErrors(Array(101).fill("10.0.0.1").join(" "))[0] ?? "", /has 101 entries; at most 100/);
});

test("what is closed is written in the same way, with the same mistakes, and may be as wide as all of a family", () => {
  const closed = parseEgressDeny("0.0.0.0/0:8080, ::/0 11.0.0.0/8 [2a00::/12]:80+8000-8099");
  assert.deepEqual(closed.ok && closed.value.map(showNetwork), [
    "0.0.0.0/0:8080",
    "::/0",
    "11.0.0.0/8",
    "[2a00::/12]:80+8000-8099",
  ]);
  for (const [entry, message] of MISTAKES.filter(([, { source }]) => !source.includes("too wide"))) {
    const refused = parseEgressDeny(entry);
    assert.match(refused.ok ? "taken" : (refused.error[0] ?? ""), message, entry);
  }
});
