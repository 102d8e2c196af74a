import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { parsePhrases } from "../domain/search-words.ts";
import { findMatch } from "./find-match.ts";
import { readSearched, splitSearchText, toSearchText } from "./search-fields.ts";
import { eventType } from "../../test/kit/event-type.ts";
import { withProperties } from "./declared/declared.kit.ts";
import { demoViewed } from "./demo-viewed.ts";

const sampleBody = (type: string): string => {
  const family = eventType(type);
  const parsed = family.parse(JSON.stringify(family.example));
  assert.ok(parsed.ok);
  return parsed.value.buildBody({ appUrl: "https://app.example" });
};

function markIn(body: string, query: string): string | null {
  const match = findMatch(readSearched(demoViewed, body).texts, parsePhrases(query));
  if (match === null) return null;
  const marked = match.ranges.map(([from, to]) => match.text.slice(from, to));
  return `${match.field}: ${marked.join(", ")}`;
}

describe("what search finds an event by", () => {
  const chat = JSON.stringify({
    transcript: "[Text mode]\n\nAssistant: Hello!\n\nUser: Does it work with our ERP?",
    conversation_summary: "Asked about pricing for 40 seats.",
    topics: ["single sign-on"],
    extracted_variables: { email: "jo@left.example", phone_number: "+49 30 901820", qualified: true, budget: 9000 },
    lead: { email: "jane@acme.example", first_name: "Jané", last_name: "Dœ", client_tracking_id: "crm-48211" },
    buyer_reveal: { company_name: "Acme Müller GmbH", company_domain: "acme.example" },
  });
  const ROWS: readonly [query: string, found: string | null][] = [
    ["jane@acme.example", "visitor: jane@acme.example"],
    ["jane doe", "visitor: Jané, Dœ"],
    ["crm-48211", "visitor: crm-48211"],
    ["muller", "company: Müller"],
    ["sign-on", "topic: sign-on"],
    ["pricing", "summary: pricing"],
    ["erp", "transcript: ERP"],
    ["jo@left.example", "signal: jo@left.example"],
    ["901820", "signal: 901820"],
    ["9000", "signal: 9000"],
    ["zebra", null],
  ];
  for (const [query, found] of ROWS) test(query, () => assert.equal(markIn(chat, query), found));

  test("the demo and its share link", () => {
    const body = JSON.stringify({ name: "Product tour", link_name: "Newsletter" });
    assert.equal(markIn(body, "tour"), "demo: tour");
    assert.equal(markIn(body, "newsl"), "demo: Newsletter");
  });

  test("every sample of the catalog has texts", () => {
    for (const type of ["demo_viewed", "chat_conversation_completed"] as const) {
      assert.equal(markIn(sampleBody(type), "ada@example.com"), "visitor: ada@example.com");
    }
  });

  test("a body that cannot be read has none", () => {
    for (const body of ["", "7", "null", "[]", '{"topics":7,"lead":[]}']) {
      assert.deepEqual(readSearched(demoViewed, body).texts, []);
    }
  });

  test("numbers as they are written", () => {
    const type = withProperties({ total: { type: "number" }, lines: { type: "array" } });
    const textsOf = (body: string) => readSearched(type, body).texts.map(({ text }) => text);
    const other = '"other":1.50';
    assert.deepEqual(textsOf(`{"id":"A-1",${other},"total":10.50}`), ["A-1", "10.50"]);
    assert.deepEqual(textsOf(`{"id":"A-2","half":10.5,"total":10.50}`), ["A-2", "10.50"]);
    assert.deepEqual(textsOf(`{"id":9007199254740993,${other},"total":7}`), ["9007199254740993", "7"]);
    assert.deepEqual(textsOf(`{"id":1001,${other},"total": 12.5 ,"lines":["1.50",3.10]}`), [
      "1001",
      "1.50",
      "3.10",
      "12.5",
    ]);
    assert.deepEqual(textsOf(`{"id":"x","lines":[${"2.50,".repeat(20)}1e3],"total":1e2}`).slice(-2), ["1e3", "1e2"]);
    assert.equal(readSearched(type, `{"id":"x",${other},"who":{"name":"Jo"},"total":10.0}`).summary.about.what, "10.0");
  });

  test("a long transcript is indexed to a maximum, whatever stands before it", () => {
    const { texts } = readSearched(demoViewed, JSON.stringify({ transcript: "word ".repeat(99_999), name: "Tour" }));
    const text = toSearchText(texts);
    assert.ok(text.length <= 40_000, `${text.length} characters`);
    assert.deepEqual(splitSearchText(text).slice(0, 2), ["tour", "word"]);
  });
});

describe("a match in a long text", () => {
  const long = `${"before ".repeat(50)}<b>needle</b> 👍 ${"after ".repeat(50)}`;

  test("is shown with some words around it, marked, and as text", () => {
    const match = findMatch([{ field: "transcript", text: long }], [["needle"]]);
    assert.ok(match !== null && match.text.length <= 125);
    assert.match(match.text, /^…before .*<b>needle<\/b> 👍 after .*…$/u);
    assert.deepEqual(
      match.ranges.map(([from, to]) => match.text.slice(from, to)),
      ["needle"],
    );
  });

  test("comes from the text that has the most of the query", () => {
    const texts = [
      { field: "visitor", text: "Jane" },
      { field: "summary", text: "Jane asked about pricing" },
    ] as const;
    assert.equal(findMatch(texts, [["jane"], ["pricing"]])?.field, "summary");
  });
});
