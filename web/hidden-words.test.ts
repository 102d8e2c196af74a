import assert from "node:assert/strict";
import { test } from "node:test";
import { findSearch, hideWords } from "./hidden-words.ts";

const ADDRESSES = [
  ["/deliveries?q=jane%40acme.example", "/deliveries#q=jane%40acme.example"],
  ["/deliveries?status=failed&q=a+b&range=1h", "/deliveries?status=failed&range=1h#q=a+b"],
  ["https://hooks.example/x/deliveries/dlv_1?q=%26%23%3F#main", "https://hooks.example/x/deliveries/dlv_1#q=%26%23%3F"],
] as const;

test("what is searched for stands behind #, and is read from there", () => {
  for (const [given, hidden] of ADDRESSES) {
    assert.equal(hideWords(given), hidden);
    assert.equal(hideWords(hidden), hidden);
    const read = new URLSearchParams(findSearch(new URL(hidden, "https://hooks.example")));
    const { searchParams } = new URL(given, "https://hooks.example");
    assert.deepEqual(Object.fromEntries(read), Object.fromEntries(searchParams));
  }
});

test("every other address stays as it is", () => {
  for (const href of ["/deliveries", "/deliveries?status=failed", "/people#email=jane%40acme.example", "", "#main"]) {
    assert.equal(hideWords(href), href);
    assert.equal(findSearch(new URL(href, "https://hooks.example")), new URL(href, "https://hooks.example").search);
  }
});
