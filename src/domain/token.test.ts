import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { createSeededRandom } from "../../test/kit/world/seeded-random.ts";
import { bucketOf, bucketOfMarked } from "../lib/bucket.ts";
import { areTogether, hashSecret, hashToken, isToken, newToken, newTokenBeside, storedPart, toToken } from "./token.ts";

const random = createSeededRandom(11);

test("a token and its key lead to the account's bucket, and the stored part to nothing", () => {
  for (let n = 0; n < 300; n += 1) {
    const accountId = `acc_${n}`;
    const token = newToken(accountId, random);
    assert.ok(isToken(token), token);
    assert.equal(bucketOfMarked(token), bucketOf(accountId));
    const key = hashToken(token);
    assert.equal(bucketOfMarked(key), bucketOf(accountId));
    assert.equal(storedPart(key), createHash("sha256").update(token.slice(2)).digest("hex"));
    assert.ok(!key.includes(token.slice(2)));
  }
});

test("a secret that was stored before its account was known makes a token that is found", () => {
  const secret = "s".repeat(43);
  assert.equal(storedPart(hashToken(toToken("acme", secret))), hashSecret(secret));
});

test("a session's token is beside its link's, with a secret of its own", () => {
  const link = newToken("acme", random);
  const session = newTokenBeside(link, random);
  assert.ok(areTogether(link, session) && isToken(session));
  assert.notEqual(storedPart(hashToken(session)), storedPart(hashToken(link)));
});

for (const text of ["", "abc", "A".repeat(43), `zz${"A".repeat(43)}`, `0A${"A".repeat(43)}`, `00${"A".repeat(44)}`]) {
  test(`a text of another form is no token: ${JSON.stringify(text)}`, () => assert.ok(!isToken(text)));
}
