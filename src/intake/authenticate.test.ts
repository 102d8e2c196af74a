import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { systemClock } from "../lib/clock.ts";
import { createAuthenticator } from "./authenticate.ts";

const KEYS = ["first-key", "second", "schlüssel"];

function isLetIn(keys: readonly string[], given: string): boolean {
  const { findRefusal } = createAuthenticator({ apiKeys: keys }, systemClock);
  const request = { headers: { authorization: `Bearer ${given}` }, ip: "192.0.2.1" };
  return findRefusal(request as Parameters<typeof findRefusal>[0]) === null;
}

for (const scheme of ["bearer ", "BEARER  ", "Bearer\t", "Bearer \t "]) {
  test(`the scheme ${JSON.stringify(scheme)} is read`, () => {
    assert.equal(createAuthenticator({ apiKeys: KEYS }, systemClock).hasKey(`${scheme}second`), true);
  });
}

for (const key of KEYS) {
  test(`the key ${key} lets its caller in, whatever key was tried before`, () => {
    const { findRefusal } = createAuthenticator({ apiKeys: KEYS }, systemClock);
    for (const given of [`${key}-and-a-long-end`, key]) {
      const request = { headers: { authorization: `Bearer ${given}` }, ip: "192.0.2.1" };
      const refusal = findRefusal(request as Parameters<typeof findRefusal>[0]);
      assert.equal(refusal?.code, given === key ? undefined : "unauthorized");
    }
  });

  for (const end of ["x", "é", "ł", "🐢", "x".repeat(20_000)]) {
    test(`a key that goes on after ${key} with ${end.slice(0, 3)} (${end.length}) is refused`, () => {
      assert.equal(isLetIn(KEYS, key + end), false);
    });
  }

  test(`the start of ${key} is refused`, () => {
    for (let chars = 1; chars < key.length; chars += 1) assert.equal(isLetIn(KEYS, key.slice(0, chars)), false);
  });
}

test("of any two keys one lets in only where the other is the same", () => {
  const key = fc.stringMatching(/^[!-~ -￿]{1,12}$/u).filter((text) => /^\S+$/.test(text) && text.isWellFormed());
  fc.assert(fc.property(key, key, (own, given) => assert.equal(isLetIn([own], given), own === given)));
});
