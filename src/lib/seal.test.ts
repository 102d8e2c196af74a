/**
 * Sealing returns what was sealed, and refuses every other key, place and byte. The wrong keys and changed texts are
 * made from a good one, so that each test fails if its check is dropped.
 */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import fc from "fast-check";
import { systemRandom } from "./random.ts";
import { createSealer } from "./seal.ts";

const KEY = new Uint8Array(32).fill(7);
const PLACE = "verification_secrets|current|acme";
const sealer = createSealer(KEY, systemRandom);

test("opens what it sealed, whatever text and place", () => {
  const anyText = fc.string({ unit: "grapheme" });
  fc.assert(
    fc.property(anyText, anyText, (plain, context) => {
      assert.equal(sealer.open(sealer.seal(plain, context), context), plain);
    }),
  );
});

test("writes version, key id and base64url, and none of the plain text", () => {
  const sealed = sealer.seal("whsec_do-not-show", PLACE);
  assert.match(sealed, /^v1\.[0-9a-f]{8}\.[A-Za-z0-9_-]+$/);
  assert.ok(!Buffer.from(sealed.split(".")[2] ?? "", "base64url").includes("whsec_"));
});

test("never seals the same text to the same value", () => {
  const sealed = new Set(Array.from({ length: 100 }, () => sealer.seal("same", PLACE)));
  assert.equal(sealed.size, 100);
});

test("draws a nonce of 96 bits for each value", () => {
  const asked: number[] = [];
  const counting = {
    unit: () => 0,
    bytes(count: number) {
      asked.push(count);
      return randomBytes(count);
    },
  };
  const counted = createSealer(KEY, counting);
  counted.seal("one", PLACE);
  counted.seal("two", PLACE);
  assert.deepEqual(asked, [12, 12]);
});

test("opens a value that an earlier release sealed", () => {
  const sealed = "v1.4bb06f8e.AAAAAAAAAAAAAAAAEr3HwJ7mKBu1ujOpzhKX7uH3ghnVUg";
  const zeroNonce = createSealer(KEY, { unit: () => 0, bytes: (count) => new Uint8Array(count) });
  assert.equal(zeroNonce.seal("secret", PLACE), sealed);
  assert.equal(sealer.open(sealed, PLACE), "secret");
});

test("does not open in another place", () => {
  const sealed = sealer.seal("secret", PLACE);
  assert.throws(() => sealer.open(sealed, "verification_secrets|current|other"), /copied from another place/);
});

test("does not open with any one character changed", () => {
  const sealed = sealer.seal("secret", PLACE);
  for (let at = sealed.lastIndexOf(".") + 1; at < sealed.length; at += 1) {
    const other = sealed[at] === "A" ? "B" : "A";
    const changed = sealed.slice(0, at) + other + sealed.slice(at + 1);
    assert.throws(() => sealer.open(changed, PLACE), /was changed/, `character ${at} of ${sealed}`);
  }
});

test("names both keys when another one sealed the value", () => {
  const sealed = createSealer(new Uint8Array(32).fill(8), systemRandom).seal("secret", PLACE);
  assert.throws(() => sealer.open(sealed, PLACE), /sealed with the encryption key [0-9a-f]{8}, and the one in use is/);
});

test("refuses what is not a sealed value", () => {
  for (const text of ["", "plain", "v2.75f6e1ab.AAAA", "v1.4bb06f8e", "v1.a.b.c"]) {
    assert.throws(() => sealer.open(text, PLACE), /not a sealed value/, JSON.stringify(text));
  }
  const [version, keyId] = sealer.seal("secret", PLACE).split(".");
  assert.throws(() => sealer.open(`${version}.${keyId}.AAAA`, PLACE), /was changed/);
});

test("refuses a key that is not 32 bytes long", () => {
  assert.throws(() => createSealer(new Uint8Array(16), systemRandom), /has 32 bytes, this one has 16/);
});
