import assert from "node:assert/strict";
import { test } from "node:test";
import { readBasePath, pathBelow } from "./base-path.ts";

test("the path of the public address, without a slash at the end", () => {
  assert.equal(readBasePath("https://example.com"), "");
  assert.equal(readBasePath("https://example.com/"), "");
  assert.equal(readBasePath("https://example.com/bellwire/"), "/bellwire");
  assert.equal(readBasePath("https://example.com/tools/bellwire"), "/tools/bellwire");
});

for (const [url, inside] of [
  ["/bellwire", "/"],
  ["/bellwire/", "/"],
  ["/bellwire?a=1", "/?a=1"],
  ["/bellwire/deliveries?status=failed", "/deliveries?status=failed"],
  ["/deliveries", "/deliveries"],
  ["/", "/"],
  ["/bellwires/deliveries", "/bellwires/deliveries"],
  ["/bellwire%2fdeliveries", "/bellwire%2fdeliveries"],
] as const) {
  test(`${url} is ${inside} inside`, () => assert.equal(pathBelow("/bellwire", url), inside));
}

test("without a base path addresses stay as they are", () => {
  assert.equal(pathBelow("", "/bellwire/deliveries"), "/bellwire/deliveries");
});
