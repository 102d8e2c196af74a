/** Host, port and TLS of a call. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { callTarget } from "./call-target.ts";

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
