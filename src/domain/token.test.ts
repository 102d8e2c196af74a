import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { createSeededRandom } from "../../test/kit/world/seeded-random.ts";
import { hashToken, isToken, newToken } from "./token.ts";

const random = createSeededRandom(11);

test("a token has its form, no other has the same, and its key is its SHA-256", () => {
  const tokens = Array.from({ length: 300 }, () => newToken(random));
  for (const token of tokens) {
    assert.ok(isToken(token), token);
    assert.ok(!token.startsWith("-"), "a command would take it for a flag");
    assert.equal(hashToken(token), createHash("sha256").update(token).digest("hex"));
  }
  assert.equal(new Set(tokens).size, tokens.length);
});

for (const text of ["", "abc", "A".repeat(42), "A".repeat(44), `${"A".repeat(42)}=`, ` ${"A".repeat(42)}`]) {
  test(`a text of another form is no token: ${JSON.stringify(text)}`, () => assert.ok(!isToken(text)));
}
