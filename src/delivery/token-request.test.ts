/** Answers of token endpoints in every form. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { ClientCredentials } from "../domain/authentication.ts";
import { readTokenAnswer, listSecrets } from "./token-request.ts";

const OAUTH: ClientCredentials = {
  tokenUrl: "https://login.example.com/token",
  clientId: "bellwire",
  clientSecret: "Zq8-rT51_xVb0Lm7",
  scope: "",
  audience: "",
  clientAuthentication: "basic",
};

const timings = { dnsMs: null, connectMs: null, tlsMs: null, firstByteMs: null, totalMs: 1 };

const read = (status: number, body: Uint8Array) =>
  readTokenAnswer(
    { outcome: { kind: "response", response: { status, headers: {}, body, bodyCut: false } }, timings, address: null },
    OAUTH,
  );

const keys = fc.constantFrom("access_token", "token_type", "expires_in", "error", "error_description", "other");
const values = fc.oneof(
  fc.string(),
  fc.constantFrom("Bearer", "invalid_client", ...listSecrets(OAUTH)),
  fc.jsonValue(),
);
const bodies = fc.oneof(
  fc.uint8Array({ maxLength: 200 }),
  fc.json().map((text) => Buffer.from(text)),
  fc.dictionary(keys, values).map((object) => Buffer.from(JSON.stringify(object))),
);

test("every answer gives a token that fits into a header, or one line in words without the secret", () => {
  fc.assert(
    fc.property(fc.integer({ min: 200, max: 999 }), bodies, (status, body) => {
      const answer = read(status, body);
      if (answer.ok) {
        assert.match(answer.value.text, /^[\x21-\x7e]{1,8192}$/);
        assert.ok(answer.value.usableMs >= 0 && answer.value.usableMs <= 86_400_000);
        return;
      }
      assert.ok(answer.error.kind === "token_error");
      assert.match(answer.error.message, /^login\.example\.com [^\n\r\p{C}]{1,400}$/u);
      for (const secret of listSecrets(OAUTH)) assert.ok(!answer.error.message.includes(secret), answer.error.message);
    }),
    { numRuns: 2_000 },
  );
});

test("a lifetime counts as text too, at most for a day, and a part of it is left unused", () => {
  for (const [lifetime, usableMs] of [
    [3600, 3_540_000],
    ["3600", 3_540_000],
    [100, 90_000],
    [0, 0],
    [1e12, 86_340_000],
    [undefined, 270_000],
    [-5, 270_000],
    ["soon", 270_000],
  ] as const) {
    const answer = read(200, Buffer.from(JSON.stringify({ access_token: "a", expires_in: lifetime })));
    assert.equal(answer.ok && answer.value.usableMs, usableMs, String(lifetime));
  }
});
