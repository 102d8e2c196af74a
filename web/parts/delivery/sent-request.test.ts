import assert from "node:assert/strict";
import { test } from "node:test";
import type { SentRequest } from "../../curl.ts";
import { redirected } from "./sent-request.ts";

const REQUEST: SentRequest = { url: "https://crm.example.com/in/leads?team=1", headers: {}, body: "{}" };

for (const [typed, url] of [
  ["http://localhost:3000", "http://localhost:3000/in/leads?team=1"],
  ["localhost:3000", "http://localhost:3000/in/leads?team=1"],
  [" 127.0.0.1:8080/ ", "http://127.0.0.1:8080/in/leads?team=1"],
  ["https://test.example.com/other", "https://test.example.com/other"],
  ["http://localhost:3000/#x", "http://localhost:3000/in/leads?team=1"],
] as const) {
  test(`sends the request to ${typed.trim()} instead`, () => assert.equal(redirected(REQUEST, typed)?.url, url));
}

test("what is no http address is no target", () => {
  for (const typed of ["", "  ", "ftp://a.example", "http://", "a b"])
    assert.equal(redirected(REQUEST, typed), null, typed);
});
