import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { readHeaders, writeHeaders } from "./header-text.ts";

const ATTEMPT = { deliveryId: "dlv_01m7wdafa00000000000000001", startedAtMs: 1_795_348_800_123 };

const SENT = {
  "content-type": "application/json",
  "content-length": "1125",
  "user-agent": "Bellwire/0.1.0",
  "x-service-signature": "n4bQgYhMfWWaL+qgxVrQFaO/TxsrC4Is0V1sFbDwCgg=",
  "webhook-id": ATTEMPT.deliveryId,
  "webhook-timestamp": "1795348800",
  "webhook-signature": "v1,n4bQgYhMfWWaL+qgxVrQFaO/TxsrC4Is0V1sFbDwCgg=",
};

test("a webhook's own headers take less than half of their JSON", () => {
  const text = writeHeaders(SENT, ATTEMPT);
  assert.equal(text.split("\n")[0], "J");
  assert.ok(text.length <= 0.45 * JSON.stringify(SENT).length, `${text.length} characters`);
  assert.deepEqual(Object.entries(readHeaders(text, ATTEMPT)), Object.entries(SENT));
});

test("an id and a time that are not the attempt's own are written out", () => {
  const other = { "webhook-id": `test_${ATTEMPT.deliveryId}`, "webhook-timestamp": "1795348801" };
  assert.equal(writeHeaders(other, ATTEMPT), `itest_${ATTEMPT.deliveryId}\nw1795348801\n`);
  assert.deepEqual(readHeaders(writeHeaders(other, ATTEMPT), ATTEMPT), other);
});

test("what an earlier version wrote as JSON is read", () => {
  assert.deepEqual(readHeaders(JSON.stringify(SENT), ATTEMPT), SENT);
  assert.deepEqual(readHeaders("{}", null), {});
});

const name = fc.oneof(
  fc.constantFrom(...Object.keys(SENT), "connection", "date", "server", "set-cookie", "__proto__", "a", "J"),
  fc.string({ unit: "binary" }),
);
const value = fc.oneof(
  fc.constantFrom(...Object.values(SENT), "keep-alive", "", "=", "==", "a=b", ":", "J"),
  fc.string({ unit: "binary" }),
  fc.string(),
);
const headers = fc.array(fc.tuple(name, value), { maxLength: 8 }).map((entries) => Object.fromEntries(entries));

test("any headers come back as they were, in their order, with and without the attempt", () => {
  fc.assert(
    fc.property(headers, fc.constantFrom(ATTEMPT, null), (given, known) => {
      const text = writeHeaders(given, known);
      assert.deepEqual(Object.entries(readHeaders(text, known)), Object.entries(given));
      assert.equal(text.startsWith("{") || !/[\0\ud800-\udfff]/.test(text), true, "a text that PostgreSQL can hold");
    }),
    { numRuns: 2_000 },
  );
});
