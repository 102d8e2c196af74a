/** PEM as it arrives through YAML, variables, mail and Word: the same certificate and key come out of each. */
import assert from "node:assert/strict";
import { X509Certificate, createPrivateKey } from "node:crypto";
import { test } from "node:test";
import { makeAuthority } from "../../test/kit/servers/certificates.ts";
import { mendPem } from "./mend-pem.ts";

const { certificate, key } = makeAuthority("CA").issue("acme");

const DAMAGES: readonly (readonly [how: string, damage: (pem: string) => string])[] = [
  ["as it is", (pem) => pem],
  ["indented, as in YAML", (pem) => pem.replaceAll(/^/gm, "    ")],
  ["on one line, as in a variable", (pem) => pem.replaceAll("\n", " ")],
  ["with \\n written out", (pem) => pem.replaceAll("\n", String.raw`\n`)],
  ["with \\r\\n written out", (pem) => pem.replaceAll("\n", String.raw`\r\n`)],
  ["in quotes", (pem) => `"${pem}"`],
  ["in Word's quotes", (pem) => `“${pem}”`],
  ["with lines of Windows", (pem) => pem.replaceAll("\n", "\r\n")],
  ["with an empty line between its lines", (pem) => pem.replaceAll("\n", "\n\n")],
  ["with a byte order mark", (pem) => `\ufeff${pem}`],
  ["with zero-width spaces and no-break spaces", (pem) => pem.replaceAll("\n", "\u200b\n\u00a0")],
  ["with soft hyphens", (pem) => pem.replaceAll(/([a-z])([A-Z])/g, "$1\u00ad$2")],
  ["without its line breaks", (pem) => pem.replaceAll("\n", "")],
  ["behind what openssl prints before it", (pem) => `Bag Attributes\n  friendlyName: acme\nsubject=CN=acme\n${pem}`],
];

for (const [how, damage] of DAMAGES) {
  test(`reads a certificate and a key ${how}`, () => {
    const read = new X509Certificate(mendPem(damage(certificate)));
    assert.ok(read.checkPrivateKey(createPrivateKey(mendPem(damage(key)))));
  });
}

test("keeps every certificate of a chain, in its order", () => {
  const chain = mendPem(`${certificate}${makeAuthority("Other").certificate}`.replaceAll("\n", " "));
  assert.equal(chain.match(/-----BEGIN CERTIFICATE-----/g)?.length, 2);
  assert.equal(new X509Certificate(chain).subject, "CN=acme");
});

test("leaves a text that is no PEM as it is", () => assert.equal(mendPem("  no PEM \n"), "no PEM"));
