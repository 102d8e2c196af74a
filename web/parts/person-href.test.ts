import assert from "node:assert/strict";
import { test } from "node:test";
import { isAddress, personHref, readEmail } from "./person-href.ts";

test("an address is the same behind the link that leads to its person", () => {
  for (const email of [
    "jane@acme.example",
    "jane+demo@acme.example",
    "o'hara&co%@acme.example",
    "jörg#1@acme.example",
  ]) {
    const href = personHref(email);
    assert.equal(readEmail(href.slice(href.indexOf("#"))), email);
    assert.equal(new URL(href, "https://hooks.example").search, "");
  }
});

test("a link that a support desk wrote without encoding is read, and one without an address is empty", () => {
  assert.equal(readEmail("#email=jane+demo@acme.example"), "jane+demo@acme.example");
  assert.equal(readEmail("#tab=1&email=%20jane@acme.example"), "jane@acme.example");
  assert.equal(readEmail("#email=50%@acme.example"), "50%@acme.example");
  for (const hash of ["", "#", "#email=", "#mail=jane@acme.example"]) assert.equal(readEmail(hash), "");
});

test("what is typed is somebody once its domain has a dot", () => {
  assert.deepEqual(["jane", "jane@", "jane@acme", "jane@acme.e", "a b@acme.io"].filter(isAddress), []);
  assert.ok(isAddress("jane@acme.io"));
});
