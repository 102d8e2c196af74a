/** Refused inputs: each usual mistake, given to the real check, and the words that a person reads then. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { refuseCertificate } from "../../src/egress/client-certificate.ts";
import { parseWebhookUrl } from "../../src/egress/webhook-url.ts";
import { parseJson } from "../../src/events/exact-json.ts";
import { createMailer } from "../../src/notify/mailer.ts";
import { verify } from "../../src/receiver/verify-event.ts";
import { COMMANDS } from "../../src/commands/catalog.ts";
import { makeAuthority } from "../kit/servers/certificates.ts";
import { startMailServer } from "../kit/servers/mail-server.ts";
import { startReceiver } from "../kit/servers/receiver.ts";
import { createFakeIo } from "../kit/world/fake-io.ts";
import { assertTold } from "./internals.ts";

const JSON_MISTAKES: readonly (readonly [text: string, says: RegExp])[] = [
  ["", /^The text is empty/],
  ['{"a":1,}', /line 1, column 8 \(position 7\) .*; no comma stands before }\.$/],
  ["[1,2,]", /position 5\) .*; no comma stands before \]\.$/],
  ["{'a':1}", /position 1\) .*; (?:strings and names|names and strings) stand in double quotes\.$/],
  ["{a:1}", /position 1\) .*; (?:strings and names|names and strings) stand in double quotes\.$/],
  ["{“a”:1}", /position 1\) .*; quotes are straight ones\.$/],
  ['{"a":NaN}', /position 5\) .*; write null for what is no number/],
  ['{"a":-Infinity}', /position 5\) .*; write null/],
  ['{"a":undefined}', /position 5\) .*; write null/],
  ['{"a":True}', /position 5\) .*; true, false and null are lower case\.$/],
  ['{"a":None}', /position 5\) .*; true, false and null are lower case\.$/],
  ['{"a":01}', /position 5\) .*; numbers have no zero or plus before them/],
  ['{"a":+1}', /position 5\) .*; numbers have no zero or plus/],
  ['{"a":.5}', /position 5\) .*; numbers have no zero/],
  ['{\n  // a\n  "a":1}', /line 2, column 3 \(position 4\) .*; JSON has no comments\.$/],
  ['{"a":1 "b":2}', /position 7\) .*; a comma or a colon is missing before it\.$/],
  ['{"a":"x\ny"}', /position 7\) .*; in a string, write \\n for a line break/],
  [String.raw`{"a":"C:\users"}`, /position 8\) .*; in a string, write \\n .* \\\\ for a backslash/],
  ['{"a":\u200b1}', /position 5\) .*; an invisible character stands there\.$/],
  ['{"a":1', /ends too early, after 6 characters\.$/],
  ['{"a":"b', /ends too early, after 7 characters\.$/],
  ['{"a":1}{"b":2}', /position 7\) .*; a comma or a colon is missing before it\.$/],
];

test("each mistake in a JSON text is told with its place, and without the text", () => {
  for (const [text, says] of JSON_MISTAKES) {
    const parsed = parseJson(text);
    assert.ok(!parsed.ok, text);
    assertTold(parsed.error.detail, says);
  }
});

const { certificate: chain, key } = makeAuthority("CA").issue("acme");
const OTHER = makeAuthority("CA").issue("other");
const NOW_MS = Date.UTC(2026, 10, 25);

const CERTIFICATES: readonly (readonly [what: string, chain: string, key: string, says: RegExp])[] = [
  ["certificate and key swapped", key, chain, /^has a private key in it; paste that into the field for the key$/],
  ["a certificate in the key's field", chain, chain, /^is a certificate; paste the private key that belongs to it$/],
  ["a key of another certificate", chain, OTHER.key, /^does not belong to this certificate/],
  [
    "a locked key",
    chain,
    "-----BEGIN ENCRYPTED PRIVATE KEY-----\nAA\n-----END ENCRYPTED PRIVATE KEY-----",
    /passphrase/,
  ],
  [
    "a key of OpenSSH",
    chain,
    "-----BEGIN OPENSSH PRIVATE KEY-----\nAA\n-----END OPENSSH PRIVATE KEY-----",
    /ssh-keygen/,
  ],
  ["a public key", chain, "-----BEGIN PUBLIC KEY-----\nAA\n-----END PUBLIC KEY-----", /^is a public key; paste/],
  ["a key without its end", chain, key.replace(/-----END[^]*/, ""), /^lacks its last line, -----END …; paste all/],
  ["a certificate without its end", chain.replace(/-----END[^]*/, ""), key, /^lacks its last line, -----END CERT/],
  ["a request", "-----BEGIN CERTIFICATE REQUEST-----\nAA\n-----END CERTIFICATE REQUEST-----", key, /^is a request for/],
  ["PKCS #12 in Base64", "MIIKYQIBAzCCCicGCSqGSIb3DQEHAaCC", key, /^is not a certificate in PEM form.*\.p12.*openssl/],
  ["a certificate with a hole", chain.replace(/\n.{60}/, "\n"), key, /^cannot be read as a certificate/],
];

for (const [what, givenChain, givenKey, says] of CERTIFICATES) {
  test(`a client certificate is refused by name: ${what}`, () => {
    assertTold(refuseCertificate({ chain: givenChain, key: givenKey }, NOW_MS)?.message, says);
  });
}

test("each mistake in a URL is told by its cause", () => {
  for (const [text, says] of [
    ["example.com/hook", /does not say how to call it; write https:\/\/example\.com\/hook$/],
    ["http//example.com", /write https:\/\/example\.com$/],
    ["htps://example.com", /starts with "htps:"; only https: and http:/],
    ["https://example.com:99999/", /the port 99999; ports go from 1 to 65535$/],
    ["https://2001:db8::1/", /IPv6 address; write it in brackets/],
    ["https://user:pass@example.com/", /user name or password/],
    ["https://a.example/ https://b.example/", /two addresses/],
  ] as const) {
    const parsed = parseWebhookUrl(text);
    assert.ok(!parsed.ok, text);
    assertTold(parsed.error, says);
  }
});

describe("a command that cannot reach the service says why", () => {
  const send = async (url: string): Promise<string> => {
    const { io, err } = createFakeIo(["--account", "acct-1", "--url", url, "--key", "k".repeat(32)]);
    assert.notEqual(await COMMANDS["send"]?.run(io), 0);
    return err.join("\n");
  };

  test("nothing is there", async () => {
    assertTold(await send("http://127.0.0.1:1"), /nothing accepts connections there \(ECONNREFUSED\)\.\nStart it/);
  });

  test("https in front of a port of http, and a certificate that is not trusted", async () => {
    await using plain = await startReceiver();
    await using secure = await startReceiver({}, { tls: "hook.test" });
    using closing = new DisposableStack();
    const greeting = createServer((socket) => socket.on("error", () => {}).end("hello\r\n"));
    closing.defer(() => void greeting.close());
    await new Promise<void>((resolve) => greeting.listen(0, "127.0.0.1", resolve));
    const { port } = greeting.address() as AddressInfo;
    assertTold(await send(`https://127.0.0.1:${port}`), /it does not speak TLS there .*\n.*write http:\/\/ in --url/);
    assertTold(await send(`https://127.0.0.1:${secure.port}`), /certificate is .*\n.*NODE_EXTRA_CA_CERTS/);
    assertTold(
      await send(`http://127.0.0.1:${plain.port}`),
      /answered 200, but not as Bellwire does\. Is --url right\?/,
    );
  });
});

test("a receiver is told that its body was parsed, or is missing", () => {
  for (const body of [{ id: "a" }, undefined, null]) {
    assert.throws(() => verify(body as never, {}, `whsec_${"A".repeat(44)}`), /^Error: verify needs the raw body/);
  }
});

describe("a mail server that cannot be used is told by its place and its cause", () => {
  const check = async (smtpUrl: string): Promise<string> => {
    await using mailer = createMailer({ smtpUrl, from: "a@example.com" });
    return await mailer.check().then(
      () => "it works",
      (error: unknown) => (error as Error).message,
    );
  };

  test("nothing is there", async () => {
    assertTold(
      await check("smtp://127.0.0.1:1"),
      /127\.0\.0\.1:1 cannot be used: nothing accepts connections there \(ECONN/,
    );
  });

  test("it refuses name and password, and shows neither", async () => {
    await using mail = await startMailServer({ takesLogins: false });
    const message = await check(mail.url.replace("smtp://", "smtp://ada:geheim@"));
    assertTold(message, /refuses the name and password in BELLWIRE_SMTP_URL \(535/);
    assert.doesNotMatch(message, /geheim/);
  });

  test("it refuses an e-mail", async () => {
    await using mail = await startMailServer();
    mail.refused.set("b@example.com", "554 5.7.1 spam");
    await using mailer = createMailer({ smtpUrl: mail.url, from: "a@example.com" });
    const email = { to: "b@example.com", subject: "s", text: "t", messageId: "<1@example.com>" };
    await assert.rejects(mailer.send(email), ({ message }: Error) => /refuses the email: 554/.test(message));
  });
});
