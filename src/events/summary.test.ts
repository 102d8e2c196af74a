import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { readSummary } from "./summary.ts";
import { demoViewed } from "./demo-viewed.ts";

const about = (members: object) => readSummary(demoViewed, JSON.stringify(members)).about;

describe("who an event is about", () => {
  const company = { company_name: "Acme", company_domain: "acme.example" };
  const jane = { email: "jane@acme.example", first_name: "Jane", last_name: "Doe" };
  const ROWS: readonly [string, object, string | null][] = [
    ["the lead by name", { lead: jane, buyer_reveal: company }, "Jane Doe"],
    ["one name is enough", { lead: { ...jane, first_name: "" } }, "Doe"],
    ["else by e-mail address", { lead: { email: jane.email, first_name: "", last_name: " " } }, jane.email],
    ["else as the conversation named them", { lead: null, extracted_variables: { visitor_name: "Jo" } }, "Jo"],
    [
      "or left an address",
      { lead: null, extracted_variables: { visitor_name: "", email: "j@x.example" } },
      "j@x.example",
    ],
    ["else the company", { lead: null, buyer_reveal: company }, "Acme"],
    [
      "or its domain",
      { lead: null, buyer_reveal: { company_name: "", company_domain: "acme.example" } },
      "acme.example",
    ],
    ["else unknown", { lead: null, buyer_reveal: {} }, null],
  ];
  for (const [what, members, who] of ROWS) test(what, () => assert.equal(about(members).who, who));
});

describe("what happened", () => {
  test("is the demo's name", () => assert.equal(about({ name: "Product tour" }).what, "Product tour"));

  test("or the first sentence of the summary", () => {
    const summary = "Asked Mr. Smith about prices for 40 seats. Then about single sign-on.";
    assert.equal(about({ conversation_summary: summary }).what, "Asked Mr. Smith about prices for 40 seats.");
  });

  test("a long sentence is cut between words", () => {
    const what = about({ conversation_summary: "pricing and seats ".repeat(5_000) }).what ?? "";
    assert.match(what, /(?:pricing|and|seats)…$/);
    assert.ok(what.length <= 141, `${what.length} characters`);
  });

  test("is not known of a body that is gone or cannot be read", () => {
    for (const body of [null, "", "[]", "null", "7", '{"name":7,"lead":"x"}', "not JSON"]) {
      assert.deepEqual(readSummary(demoViewed, body), { about: { who: null, what: null }, intentLevel: "" });
    }
  });
});
