/** Webhook URLs as people type and paste them: accepted forms, and the advice of each refusal. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { LIMITS } from "../domain/limits.ts";
import { parseWebhookUrl, callTarget } from "./webhook-url.ts";

const TAKEN: readonly [text: string, href: string][] = [
  ["https://example.com/webhooks", "https://example.com/webhooks"],
  ["http://example.com", "http://example.com/"],
  ["  https://example.com/a\n", "https://example.com/a"],
  ["HTTPS://Example.COM:443/A?b=c&d", "https://example.com/A?b=c&d"],
  ["https://example.com:8443/", "https://example.com:8443/"],
  ["https://example.com/#", "https://example.com/"],
  ["https://bücher.example/ü", "https://xn--bcher-kva.example/%C3%BC"],
  ["https://example.com/a?b=\\", "https://example.com/a?b=\\"],
  ["https://example.com//double", "https://example.com//double"],
  // This form is kept, shown and called; the receiver never saw the dots.
  ["https://example.com/a/../b/./c?d=..", "https://example.com/b/c?d=.."],
  ["https://example.com/%2e%2E/b", "https://example.com/b"],
  // Syntax only: the guard refuses this one.
  ["http://0x7f.1/", "http://127.0.0.1/"],
  ["https://Example.com./a", "https://example.com/a"],
  ["https://example.com.:8443/a", "https://example.com:8443/a"],
  ["https://example.com%2E/a", "https://example.com/a"],
  ["http://127.0.0.1./a", "http://127.0.0.1/a"],
  ["https://[2606:4700:0::1111]/", "https://[2606:4700::1111]/"],
  ["https://[2606:4700::1111]/", "https://[2606:4700::1111]/"],
];

const REFUSED: readonly [text: string, message: RegExp][] = [
  ["", /is empty; write one such as https:/],
  ["   ", /is empty/],
  ["example.com/hook", /write https:\/\/example\.com\/hook$/],
  ["//example.com/hook", /write https:\/\/example\.com\/hook$/],
  ["example.com:8080/hook", /write https:\/\/example\.com:8080\/hook$/],
  ["localhost:3000", /write http:\/\/localhost:3000$/],
  ["127.0.0.1:3000/hook", /write http:\/\/127\.0\.0\.1:3000\/hook$/],
  ["localhost.example.com/hook", /write https:\/\/localhost\.example\.com\/hook$/],
  ["/hook", /write https:\/\/hook$/],
  ["ftp://example.com/", /starts with "ftp:"; only https: and http:/],
  ["file:///etc/passwd", /starts with "file:"/],
  ["javascript:alert(1)", /starts with "javascript:"/],
  ["mailto:a@example.com", /starts with "mailto:"/],
  ["https:example.com", /two slashes.*write https:\/\/example\.com$/],
  ["https:/example.com/a", /two slashes.*write https:\/\/example\.com\/a$/],
  ["http:///example.com", /two slashes.*write http:\/\/example\.com$/],
  ["https://", /two slashes and a host.*write https:\/\/example\.com\/webhooks$/],
  ["https:\\\\example.com", /has a "\\" in it; write "\/"/],
  ["http://evil.example\\@127.0.0.1/", /has a "\\" in it/],
  ["https://exa mple.com/", /white space in it; write %20/],
  ["https://example.com/a b", /white space/],
  ["ht\ttps://example.com/", /has a tab \(U\+0009\) after "ht"; write https:\/\/example\.com\/$/],
  ["https://example.com/\u0000", /control character \(U\+0000\)/],
  ["https://a.example/x https://b.example/y", /has two addresses in it; enter one of them$/],
  [
    "https://exa\u200bmple.com/",
    /has a zero-width space \(U\+200B\) after "https:\/\/exa"; write https:\/\/example\.com\/$/,
  ],
  ["\u202ahttps://example.com/\u202c", /direction mark \(U\+202A\) at its start; write https:\/\/example\.com\/$/],
  ["https://example.com/%E2%80%8B", /\(U\+200B\).*as %E2%80%8B; write https:\/\/example\.com\/$/],
  ["[hook](https://example.com/a)", /has text around the address; write https:\/\/example\.com\/a$/],
  ["https://user:pass@example.com/", /user name or password.*custom header/],
  ["https://user@example.com/", /user name or password/],
  ["https://:pass@example.com/", /user name or password/],
  ["https://example.com/a#part", /"#part" of the Webhook URL is never sent/],
  ["https://example.com:65536/", /has the port 65536; ports go from 1 to 65535$/],
  ["https://example.com:0/", /has the port 0, which takes no calls/],
  ["http://2606:4700::1111/in", /IPv6 address; write it in brackets, as https:\/\/\[2606:4700::1111\]\/$/],
  ["https//example.com/a", /write https:\/\/example\.com\/a$/],
  ["https://example.com:80:90/", /is not a valid URL/],
  ["https://1.2.3.4.5/", /is not a valid URL/],
  ["https://[::1/", /is not a valid URL/],
  ["https://[fe80::1%25eth0]/", /is not a valid URL/],
  ["https://?a=b", /is not a valid URL/],
  [`https://example.com/${"a".repeat(LIMITS.urlCharsMax)}`, /has 2068 characters; at most 2048/],
  [`https://example.com/${"ü".repeat(1000)}`, /has 6020 characters when encoded; at most 2048/],
];

for (const [text, href] of TAKEN) {
  test(`takes ${JSON.stringify(text)}`, () => {
    const result = parseWebhookUrl(text);
    assert.equal(result.ok ? result.value.href : result.error, href);
  });
}

for (const [text, message] of REFUSED) {
  test(`refuses ${JSON.stringify(text.slice(0, 40))}`, () => {
    const result = parseWebhookUrl(text);
    assert.match(result.ok ? `taken as ${result.value.href}` : result.error, message);
  });
}

test("what is taken reads as the same URL again from its text, which is what the store keeps", () => {
  const text = fc.tuple(fc.webUrl({ withQueryParameters: true }), fc.string({ unit: "grapheme" }));
  fc.assert(
    fc.property(text, ([url, odd]) => {
      const result = parseWebhookUrl(`${url}${odd}`);
      if (result.ok) assert.equal(new URL(result.value.href).href, result.value.href);
    }),
  );
});

test("takes a URL of exactly the greatest length", () => {
  const start = "https://example.com/";
  const text = start + "a".repeat(LIMITS.urlCharsMax - start.length);
  assert.equal(parseWebhookUrl(text).ok, true);
  assert.equal(parseWebhookUrl(`${text}a`).ok, false);
});

test("a saved URL passes with what was taken when it was saved", () => {
  const saved = "https://example.com/a%E2%80%8B";
  assert.equal(parseWebhookUrl(saved).ok, false);
  assert.equal(parseWebhookUrl(saved, saved).ok, true);
});

const TARGETS: readonly [url: string, host: string, port: number, isTls: boolean][] = [
  ["http://a.test/", "a.test", 80, false],
  ["https://a.test/", "a.test", 443, true],
  ["https://a.test:8443/", "a.test", 8443, true],
  ["http://a.test:443/", "a.test", 443, false],
  ["http://[::1]:8080/", "::1", 8080, false],
  ["https://[2606:4700::1111]/", "2606:4700::1111", 443, true],
  ["http://0x7f.1/", "127.0.0.1", 80, false],
];

for (const [url, host, port, isTls] of TARGETS) {
  test(`reads where ${url} goes`, () => {
    assert.deepEqual(callTarget(new URL(url)), { host, port, isTls });
  });
}
