import assert from "node:assert/strict";
import { hash } from "node:crypto";
import { test } from "node:test";
import { bucketPrefix, bucketOf, bucketOfMarked, BUCKETS } from "./bucket.ts";

test("an account's bucket is the first 16 bits of its id's MD5, as one of 256", () => {
  assert.equal(bucketOf("acme"), hash("md5", "acme", "buffer").readUInt16BE() & 255);
  assert.equal(bucketOf("acme"), bucketOf("acme"));
});

test("accounts are spread over all buckets, also when there are more than it remembers", () => {
  const counts = Array.from<number>({ length: BUCKETS }).fill(0);
  for (let place = 0; place < 25_600; place += 1) {
    const bucket = bucketOf(`account-${place}`);
    counts[bucket] = (counts[bucket] ?? 0) + 1;
  }
  assert.ok(Math.min(...counts) > 50, `the emptiest bucket has ${Math.min(...counts)} of 100 expected`);
  assert.ok(Math.max(...counts) < 150, `the fullest bucket has ${Math.max(...counts)} of 100 expected`);
});

test("a marked text tells the bucket of its account, and one without a mark is looked for in one bucket only", () => {
  for (const accountId of ["acme", "northwind", "globex"]) {
    assert.equal(bucketOfMarked(`${bucketPrefix(accountId)}9f86d081`), bucketOf(accountId));
  }
  assert.equal(bucketOfMarked("no mark"), 0);
});
