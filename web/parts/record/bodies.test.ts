import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { renderTranscript } from "../../../src/events/turns.ts";
import { eventType } from "../../../test/kit/event-type.ts";
import { toValue } from "../../../test/kit/world/world.ts";
import { groupTurns, initialsOf, parseTranscript, readConversation, readSession } from "./bodies.ts";

/** The body as the service builds it. */
function bodyOf(type: string, changes: Readonly<Record<string, unknown>> = {}): string {
  const { parse, example } = eventType(type);
  const record = toValue(parse(JSON.stringify({ ...example, ...changes })));
  return record.buildBody({ appUrl: "https://app.example.com" });
}

const session = (changes = {}) => readSession(bodyOf("demo_viewed", changes));
const conversation = (changes = {}) => readConversation(bodyOf("chat_conversation_completed", changes));

describe("a session", () => {
  test("is read whole", () => {
    const { visitor, ...facts } = session();
    assert.deepEqual(facts, {
      demo: "Product tour",
      viewedAtMs: Date.UTC(2026, 10, 20, 12),
      completion: "72.5",
      timeSpentMs: 184_000,
      intent: "high",
      isChecklistCompleted: true,
      ctaOpened: "https://example.com/book-a-call",
      link: { name: "Spring campaign", url: "https://app.example.com/share/q7Rk2mXa" },
      referers: ["https://www.example.com/search?q=product+tour", "https://example.com/pricing"],
      campaign: [
        ["utm_source", "newsletter"],
        ["utm_medium", "email"],
        ["utm_campaign", "spring"],
      ],
    });
    assert.equal(visitor.name, "Ada Lovelace");
    assert.equal(visitor.place, "Lisbon, Lisboa, Portugal");
    assert.deepEqual(visitor.company.facts.at(-1), ["Confidence", "high"]);
    assert.deepEqual(visitor.leadFacts[2], ["Your tracking id", "crm-48211"]);
  });

  test("of a stranger without anything opened has nothing of it", () => {
    const nothing = {
      lead: null,
      buyer_reveal: null,
      location: null,
      cta_opened: null,
      referers: [""],
      utm_params: {},
    };
    const { visitor, ctaOpened, referers, campaign } = session(nothing);
    assert.deepEqual({ name: visitor.name, place: visitor.place, ctaOpened }, { name: "", place: "", ctaOpened: "" });
    assert.deepEqual([...referers, ...campaign, ...visitor.leadFacts, ...visitor.company.facts], []);
  });

  test("a place that is its own state is said once", () => {
    const { visitor } = session({ location: { city: "Singapore", state: "Singapore", country: "Singapore" } });
    assert.equal(visitor.place, "Singapore");
  });
});

describe("a conversation", () => {
  test("is read whole", () => {
    const { talk, summary, topics, durationMs, startedAtMs, completedAtMs, variables } = conversation();
    assert.equal(talk?.mode, "text");
    assert.equal(talk?.turns.length, 4);
    assert.match(summary, /40 sales people/);
    assert.deepEqual(topics, ["crm integration", "pricing"]);
    assert.equal(durationMs, 95_000);
    assert.equal((completedAtMs ?? 0) - (startedAtMs ?? 0), 95_000);
    assert.deepEqual(variables, [
      { name: "E-mail", isCustom: false, value: "ada@example.com" },
      { name: "Name", isCustom: false, value: "Ada Lovelace" },
      { name: "Phone", isCustom: false, value: "+351 210 000 000" },
      { name: "Qualified", isCustom: false, value: "Yes" },
      { name: "team_size", isCustom: true, value: "40" },
    ]);
  });

  test("shows the account's own variables as they came, to the last digit", () => {
    const text = bodyOf("chat_conversation_completed").replace(
      `"team_size":40`,
      `"team_size":12345678901234567890,"pains":["slow",2],"budget":{"amount":1.50,"note":"a \\"b\\""}`,
    );
    const own = readConversation(text).variables.filter(({ isCustom }) => isCustom);
    assert.deepEqual(
      own.map(({ value }) => value),
      ["12345678901234567890", `["slow", 2]`, `{ "amount": 1.50, "note": "a \\"b\\"" }`],
    );
  });
});

for (const text of ["", "[]", "null", "{", `{"transcript":7,"topics":{},"lead":"x","extracted_variables":[]}`]) {
  test(`a body of another shape is empty and no error: ${text}`, () => {
    const { transcript, talk, variables, topics, visitor } = readConversation(text);
    assert.deepEqual(
      { transcript, talk, variables, topics },
      { transcript: "", talk: null, variables: [], topics: [] },
    );
    assert.equal(visitor.name, "");
    assert.equal(readSession(text).completion, "");
  });
}

test("initials are those of the first and the last name", () => {
  const told = ["Ada Lovelace", "Ada King of Lovelace", "ada@example.com", "Ömer", "", "   "].map(initialsOf);
  assert.deepEqual(told, ["AL", "AL", "A", "Ö", "", ""]);
});

test("a transcript that the service renders comes back as its messages", () => {
  const messages = [
    { role: "assistant", text: "Hello!" },
    { role: "user", text: "User: Assistant: two lines,\nand a colon" },
    { role: "user", text: "" },
  ] as const;
  for (const mode of ["text", "voice"] as const) {
    assert.deepEqual(parseTranscript(renderTranscript(mode, messages).text), {
      mode,
      turns: messages.map(({ role, text }) => ({ speaker: role, text })),
    });
  }
});

test("a conversation without a message has none", () => {
  assert.deepEqual(parseTranscript("[Voice mode]"), { mode: "voice", turns: [] });
});

const FOREIGN = [
  "",
  "Hello",
  "[Chat]\n\nUser: Hello",
  "[Text mode] User: Hello",
  "[Text mode]\n\nUser: One\n\nand a paragraph more",
  "[Text mode]\n\nAgent: Hello",
];

for (const text of FOREIGN) {
  test(`a text of another form is no conversation: ${JSON.stringify(text)}`, () => {
    assert.equal(parseTranscript(text), null);
  });
}

test("turns of one speaker in a row are one utterance", () => {
  const turns = [
    { speaker: "user", text: "a" },
    { speaker: "user", text: "b" },
    { speaker: "assistant", text: "c" },
  ] as const;
  assert.deepEqual(groupTurns(turns), [
    { speaker: "user", texts: ["a", "b"] },
    { speaker: "assistant", texts: ["c"] },
  ]);
});
