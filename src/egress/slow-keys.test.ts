/** Private keys as owners paste them: which may sign on the event loop. */
import assert from "node:assert/strict";
import { type KeyObject, createPrivateKey, generateKeyPairSync } from "node:crypto";
import { test } from "node:test";
import { makeCompositeRsa, makeSlowRsa } from "../../test/kit/servers/costly-tls.ts";
import { readCertificate } from "../../test/kit/servers/receiver.ts";
import { refuseCertificate, refuseFactors, refuseSlowKey } from "./client-certificate.ts";

const rsa = (bits: number): KeyObject => generateKeyPairSync("rsa", { modulusLength: bits }).privateKey;
const ec = (namedCurve: string): KeyObject => generateKeyPairSync("ec", { namedCurve }).privateKey;

function withPart(name: "d" | "dp", text: string): KeyObject {
  return createPrivateKey({ key: { ...rsa(2_048).export({ format: "jwk" }), [name]: text }, format: "jwk" });
}

const ORDINARY: readonly (readonly [what: string, make: () => KeyObject])[] = [
  ["RSA with 2,048 bits", () => rsa(2_048)],
  ["RSA with 3,072 bits", () => rsa(3_072)],
  ["RSA with 4,096 bits", () => rsa(4_096)],
  ["RSA with the exponent 3", () => generateKeyPairSync("rsa", { modulusLength: 2_048, publicExponent: 3 }).privateKey],
  ["EC P-256", () => ec("P-256")],
  ["EC P-384", () => ec("P-384")],
  ["EC P-521", () => ec("P-521")],
  ["Ed25519", () => generateKeyPairSync("ed25519").privateKey],
];
for (const [what, make] of ORDINARY) {
  test(`${what} may sign`, async () => {
    const key = make();
    assert.equal(refuseSlowKey(key), null);
    assert.equal(await refuseFactors(toPem(key)), null);
  });
}

const toPem = (key: KeyObject): string => key.export({ type: "pkcs8", format: "pem" });

const SLOW: readonly (readonly [what: string, make: () => KeyObject, words: RegExp])[] = [
  ["RSA with more than 4,096 bits", () => rsa(4_104), /^has 4104 bits/],
  ["a public exponent as long as the modulus", () => makeSlowRsa(3_626), /^has a public exponent above 2\^32/],
  ["a private exponent of 40,000 bits", () => withPart("d", "A".repeat(6_666)), /^is not an ordinary RSA key/],
  ["an exponent of another factor", () => withPart("dp", "AQAB"), /^is not an ordinary RSA key/],
  [
    "factors that are no primes",
    () => makeCompositeRsa(4_096),
    /^is not an ordinary RSA key: a factor of it is no prime/,
  ],
  ["a curve that TLS does not have", () => ec("secp256k1"), /^is of another curve \(secp256k1\)/],
  ["DSA", () => generateKeyPairSync("dsa", { modulusLength: 2_048 }).privateKey, /^is of a kind \(dsa\)/],
  ["SLH-DSA", () => generateKeyPairSync("slh-dsa-sha2-256s").privateKey, /^is of a kind \(slh-dsa-sha2-256s\)/],
];
for (const [what, make, words] of SLOW) {
  test(`a key with ${what} is refused at save, with words that say what is right`, async () => {
    const key = toPem(make());
    const message = refuseSlowKey(createPrivateKey(key)) ?? (await refuseFactors(key));
    assert.ok(message !== null, "it may sign");
    assert.match(message, words);
    assert.match(message, /; use RSA with 2,048 to 4,096 bits, EC \(P-256, P-384 or P-521\) or Ed25519/);
  });
}

test("the field of the key says so before the certificate is compared with it", () => {
  const chain = readCertificate("hook.test");
  const key = makeSlowRsa(2_048).export({ type: "pkcs8", format: "pem" });
  const refused = refuseCertificate({ chain, key }, Date.UTC(2026, 10, 22));
  assert.equal(refused?.field, "key");
});
