/** Client certificates as people paste them. */
import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { describe, test } from "node:test";
import { makeAuthority } from "../../test/kit/servers/certificates.ts";
import { daysMs } from "../lib/duration.ts";
import { readCertificateFacts, refuseCertificate } from "./client-certificate.ts";

const NOW = Date.UTC(2026, 10, 22, 12);
const authority = makeAuthority("Receiver's CA");
const { certificate: chain, key } = authority.issue("acme", { untilMs: NOW + daysMs(20) });
const other = authority.issue("globex");

test("a certificate's facts are those of the first in the chain", () => {
  assert.deepEqual(readCertificateFacts(`Bag Attributes\n${chain}${authority.certificate}`), {
    ok: true,
    value: {
      subject: "CN=acme",
      issuer: "CN=Receiver's CA",
      validFromMs: Date.UTC(2001, 0, 1),
      validToMs: NOW + daysMs(20),
    },
  });
});

test("a certificate with its key is taken, alone and with its issuer's behind it", () => {
  assert.equal(refuseCertificate({ chain, key }, NOW), null);
  assert.equal(refuseCertificate({ chain: `${chain}${authority.certificate}`, key }, NOW), null);
});

const locked = generateKeyPairSync("ec", {
  namedCurve: "P-256",
  privateKeyEncoding: { type: "pkcs8", format: "pem", cipher: "aes-256-cbc", passphrase: "secret" },
  publicKeyEncoding: { type: "spki", format: "pem" },
}).privateKey;

const MISTAKES: readonly (readonly [
  what: string,
  form: { chain?: string; key?: string },
  field: string,
  words: RegExp,
])[] = [
  ["no certificate", { chain: " " }, "chain", /^is empty/],
  ["a text that is no certificate", { chain: "hello" }, "chain", /not a certificate in PEM form/],
  ["a certificate that is cut", { chain: chain.replace(/.{20}\n-----END/, "\n-----END") }, "chain", /cannot be read/],
  ["a private key among the certificates", { chain: `${chain}${key}` }, "chain", /has a private key in it/],
  ["a text without end", { chain: "x".repeat(16 * 1024 + 1) }, "chain", /has 16385 characters; at most 16384/],
  ["eleven certificates", { chain: chain.repeat(11) }, "chain", /has 11 certificates; at most 10/],
  ["no key", { key: "" }, "key", /^is empty/],
  ["a key with a passphrase", { key: locked }, "key", /locked with a passphrase; remove it with: openssl pkey/],
  ["a key that is none", { key: "secret" }, "key", /not a private key in PEM form/],
  [
    "a key that is cut",
    { key: key.replace(/.{20}\n-----END/, "\n-----END") },
    "key",
    /cannot be read as a private key/,
  ],
  ["the key of another certificate", { key: other.key }, "key", /does not belong to this certificate/],
  ["the certificate of another key", { chain: other.certificate }, "key", /does not belong to this certificate/],
];

describe("a person is told by the field", () => {
  for (const [what, form, field, words] of MISTAKES) {
    test(`of ${what}, without any part of a key`, () => {
      const refused = refuseCertificate({ chain, key, ...form }, NOW) ?? assert.fail("it was taken");
      assert.equal(refused.field, field);
      assert.match(refused.message, words);
      const [, inside = ""] = key.split("\n");
      assert.ok(!refused.message.includes(inside.slice(0, 12)));
    });
  }

  test("of a certificate that has expired, with its end", () => {
    const refused = refuseCertificate({ chain, key }, NOW + daysMs(20));
    assert.deepEqual(refused, { field: "chain", message: "has expired (Dec 12 12:00:00 2026 GMT); get a new one" });
  });
});
