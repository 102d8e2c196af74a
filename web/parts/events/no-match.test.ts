import assert from "node:assert/strict";
import { test } from "node:test";
import { noMatch } from "./no-match.ts";

const notSent = new URLSearchParams({ not_sent: "1" });

test("an empty list says why, by what was asked", () => {
  assert.equal(noMatch(notSent, "session", false), "Every session went to every webhook that there was.");
  const words = "No session has all of these words, and none has this id";
  assert.equal(noMatch(new URLSearchParams({ q: "jane" }), "session", false), `${words}.`);
  const both = new URLSearchParams({ q: "jane", not_sent: "1" });
  assert.equal(noMatch(both, "session", false), `${words}, among those that a webhook did not get.`);
});

test("a list that was read in part claims nothing of what was not read", () => {
  for (const search of [notSent, new URLSearchParams({ q: "jane" })]) {
    assert.equal(noMatch(search, "session", true), "“Older” looks further back.");
  }
});
