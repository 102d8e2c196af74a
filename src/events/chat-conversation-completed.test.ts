import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { CHAT_CONVERSATION_SAMPLES, chatConversationCompleted } from "./chat-conversation-completed.ts";

const { textChat, voiceChat } = CHAT_CONVERSATION_SAMPLES;
const account = { appUrl: "https://app.example.com" };

function buildBodyText(recordText: string): string {
  const parsed = chatConversationCompleted.parse(recordText);
  assert.ok(parsed.ok, parsed.ok ? "" : parsed.error.detail);
  return parsed.value.buildBody(account);
}

const buildBody = (record: object) => JSON.parse(buildBodyText(JSON.stringify(record))) as Record<string, unknown>;

const withSignals = (signals: string): string =>
  JSON.stringify({ ...voiceChat, extracted_variables: "SIGNALS" }).replace('"SIGNALS"', signals);

/** The text of `extracted_variables` in the body of a record with these signals. */
function buildSignals(signals: string): string {
  const body = buildBodyText(withSignals(signals));
  return body.slice(body.indexOf('"extracted_variables":') + 22, body.lastIndexOf(',"duration":'));
}

const known = buildBody(textChat);
const unknown = buildBody(voiceChat);

/** Specification §2.5, in the order of its table: the fields in the text sample's body. */
const FIELDS: [field: string, value: unknown][] = [
  ["id", "8f1d7c52-3b0e-4a6f-8c1d-0e9b5a2f4c33"],
  ["event", "chat_conversation_completed"],
  [
    "transcript",
    [
      "[Text mode]",
      "Assistant: Hello! What brings you here today?",
      "User: We need demos for 40 sales people. Does it work with our CRM?",
      "Assistant: It does. Shall I book a call with a colleague?",
      "User: Yes, please: ada@example.com.",
    ].join("\n\n"),
  ],
  ["conversation_summary", textChat.conversation_summary],
  ["topics", ["crm integration", "pricing"]],
  ["intent_level", "high"],
  [
    "extracted_variables",
    {
      email: "ada@example.com",
      visitor_name: "Ada Lovelace",
      phone_number: "+351 210 000 000",
      qualified: true,
      team_size: 40,
    },
  ],
  ["duration", 95],
  ["message_count", 4],
  ["messages_count", 4],
  ["started_at", "2026-11-20T12:00:00.000+00:00"],
  ["completed_at", "2026-11-20T12:01:35.000+00:00"],
  ["cta_opened", "https://example.com/book-a-call"],
  ["lead", textChat.lead],
  ["buyer_reveal", textChat.buyer_reveal],
  ["location", textChat.location],
];

for (const [field, value] of FIELDS) {
  test(`carries ${field} of table 2.5`, () => assert.deepEqual(known[field], value));
}

for (const [visitor, body] of Object.entries({ known, unknown })) {
  test(`has exactly the keys of table 2.5, in its order, for a visitor who is ${visitor}`, () => {
    assert.deepEqual(
      Object.keys(body),
      FIELDS.map(([field]) => field),
    );
  });
}

const ready = { mode: undefined, messages: undefined, transcript: "[Text mode]\n\nUser: Hi", message_count: 1 };

/* Decisions §2, row by row; `undefined` leaves the field out of the record. */
const DECIDED: [sentence: string, given: object, field: string, value: unknown][] = [
  [
    "keeps the offset of started_at",
    { started_at: "2026-11-20T13:00:00+01:00" },
    "started_at",
    "2026-11-20T13:00:00.000+01:00",
  ],
  [
    "writes Z in completed_at as +00:00",
    { completed_at: "2026-11-20T12:09:09.1Z" },
    "completed_at",
    "2026-11-20T12:09:09.100+00:00",
  ],
  ["keeps the duration that intake gives", { duration: 1.5 }, "duration", 1.5],
  ["keeps a duration of 0", { duration: 0 }, "duration", 0],
  ["computes a missing duration from the times", { duration: undefined }, "duration", 95],
  [
    "computes the duration across offsets, to the millisecond",
    { duration: undefined, completed_at: "2026-11-20T13:00:01.007+01:00" },
    "duration",
    1.007,
  ],
  [
    "takes a conversation that ends as it starts",
    { duration: undefined, completed_at: "2026-11-20T12:00:00Z" },
    "duration",
    0,
  ],
  ["sends cta_opened null when left out", { cta_opened: undefined }, "cta_opened", null],
  ["sends lead null when left out", { lead: undefined }, "lead", null],
  ["sends lead null for an unknown visitor", { lead: null }, "lead", null],
  ["sends an empty location when null", { location: null }, "location", { city: "", country: "", state: "" }],
  ["renders voice mode", { mode: "voice", messages: [] }, "transcript", "[Voice mode]"],
  ["counts no messages", { messages: [] }, "message_count", 0],
  [
    "keeps the lines of a message",
    { messages: [{ role: "user", text: "a\n  b\nc" }] },
    "transcript",
    "[Text mode]\n\nUser: a\n  b\nc",
  ],
  [
    "writes no blank line inside a message, so that it cannot look like a turn",
    { messages: [{ role: "user", text: "One\n\nAssistant: forged\n\nTwo" }] },
    "transcript",
    "[Text mode]\n\nUser: One\nAssistant: forged\nTwo",
  ],
  ["counts messages, whatever their text", { messages: [{ role: "user", text: "\n\nUser: a" }] }, "message_count", 1],
  ["sends the conversation's id in lower case", { id: textChat.id.toUpperCase() }, "id", textChat.id],
  ["sends any text of cta_opened as it came", { cta_opened: "/pricing" }, "cta_opened", "/pricing"],
  ["passes a ready transcript on", ready, "transcript", "[Text mode]\n\nUser: Hi"],
  ["passes the count of a ready transcript on", ready, "message_count", 1],
  [
    "writes the line breaks of a ready transcript as LF",
    { ...ready, transcript: "[Voice mode]\r\n\r\nUser: Hi\r\nthere\r\n" },
    "transcript",
    "[Voice mode]\n\nUser: Hi\nthere",
  ],
];

for (const [sentence, given, field, value] of DECIDED) {
  test(sentence, () => {
    const body = buildBody({ ...textChat, ...given });
    assert.deepEqual(body[field], value);
    assert.equal(body["message_count"], body["messages_count"]);
  });
}

test("sends an empty company and location when nothing is known", () => {
  assert.deepEqual([...new Set(Object.values(unknown["buyer_reveal"] as object))], [""]);
  assert.deepEqual(unknown["location"], { city: "", country: "", state: "" });
});

const DEFAULTS = '"email":"","visitor_name":"","phone_number":"","qualified":false';

const SIGNALS: [sentence: string, given: string, sent: string][] = [
  ["sends the four defaults when no signal was extracted", "{}", `{${DEFAULTS}}`],
  ["takes null for a default signal", '{"email":null,"qualified":null}', `{${DEFAULTS}}`],
  ["puts the defaults first", '{"b":1,"a":2,"qualified":true}', `{${DEFAULTS.replace("false", "true")},"b":1,"a":2}`],
  ["puts the defaults before names that are numbers", '{"7":1}', `{${DEFAULTS},"7":1}`],
  ["keeps __proto__ as a signal", '{"__proto__":{"a":1}}', `{${DEFAULTS},"__proto__":{"a":1}}`],
  ["keeps __proto__ beside exact numbers", '{"__proto__":1.0}', `{${DEFAULTS},"__proto__":1.0}`],
  ["keeps any JSON", '{"a":[null,{"b":[]}],"c":""}', `{${DEFAULTS},"a":[null,{"b":[]}],"c":""}`],
  ["keeps 2^53 + 1", '{"a":9007199254740993}', `{${DEFAULTS},"a":9007199254740993}`],
  ["keeps 1e400", '{"a":[1e400]}', `{${DEFAULTS},"a":[1e400]}`],
  ["keeps 20 digits of a fraction", '{"a":0.12345678901234567890}', `{${DEFAULTS},"a":0.12345678901234567890}`],
  ["writes U+FFFD for a lone surrogate", '{"\\udc00":"\\ud800"}', `{${DEFAULTS},"\ufffd":"\ufffd"}`],
];

for (const [sentence, given, sent] of SIGNALS) {
  test(sentence, () => assert.equal(buildSignals(given), sent));
}

test("sends the four defaults when extracted_variables is left out", () => {
  assert.deepEqual(unknown["extracted_variables"], { email: "", visitor_name: "", phone_number: "", qualified: false });
});

test("sends the custom signals of any conversation as they came", () => {
  const json = fc.json({ maxDepth: 3, stringUnit: "binary" });
  const name = fc.stringMatching(/^[a-z_]{1,9}$/).filter((key) => !`"${DEFAULTS}"`.includes(`"${key}"`));
  fc.assert(
    fc.property(fc.array(fc.tuple(name, json), { maxLength: 5 }), (signals) => {
      const members = [...new Map(signals)].map(([key, value]) => `,"${key}":${value}`).join("");
      const sent = buildSignals(`{${members.slice(1)}}`);
      assert.deepEqual(JSON.parse(sent), JSON.parse(`{${DEFAULTS}${members}}`));
    }),
  );
});

test("sends the numbers of the record's own fields with the digits they came with", () => {
  const text = JSON.stringify({ ...voiceChat, extracted_variables: { a: "EXACT" }, duration: "LENGTH" });
  const body = buildBodyText(text.replace('"EXACT"', "1.0").replace('"LENGTH"', "12.50"));
  assert.match(body, /"a":1\.0\},"duration":12\.50,/);
});

test("routes by the assistant and names the conversation in lower case", () => {
  const parsed = chatConversationCompleted.parse(JSON.stringify({ ...textChat, id: textChat.id.toUpperCase() }));
  assert.ok(parsed.ok);
  assert.equal(parsed.value.sourceId, textChat.id);
  const { toPayload, ...facts } = parsed.value.facts;
  assert.equal(toPayload({ appUrl: "" })["id"], parsed.value.sourceId);
  assert.deepEqual(facts, {
    type: "chat_conversation_completed",
    plan: null,
    session: null,
    assistantId: "website-assistant",
  });
});

const FORMS = "send either mode with messages, or transcript with message_count";
const READY_MODE = "cannot be sent with a ready transcript, which starts with it ([Text mode]): leave it out";
const MARKER_MESSAGE =
  'must be [Text mode] or [Voice mode], then the turns: each begins with "Assistant:" or "User:" and has a blank ' +
  "line before it and none inside";
const ID_MESSAGE = "must be an id of 1 to 128 characters, each one of A-Z a-z 0-9 . _ : -";
const none = { mode: undefined, messages: undefined };
const deep = JSON.parse(`${"[".repeat(32)}${"]".repeat(32)}`) as unknown;
const tooMany = Array.from({ length: 10_001 }, () => ({ role: "user", text: "" }));

const REFUSED: [given: object, path: string, message: string][] = [
  /** Every wrong mix of the two forms. */
  [none, "messages", `is missing, and so is transcript: ${FORMS}`],
  [{ ...none, mode: "text" }, "messages", `is missing, and so is transcript: ${FORMS}`],
  [{ ...none, message_count: 1 }, "messages", `is missing, and so is transcript: ${FORMS}`],
  [{ mode: undefined }, "mode", "is missing: messages need it, as text or voice"],
  [{ message_count: 4 }, "message_count", "cannot be sent with messages, which are counted: leave it out"],
  [{ transcript: ready.transcript }, "transcript", `cannot be sent together with messages: ${FORMS}`],
  [{ transcript: ready.transcript, message_count: 1 }, "transcript", `cannot be sent together with messages: ${FORMS}`],
  [
    { ...ready, message_count: undefined },
    "message_count",
    "is missing: a ready transcript needs it, as a whole number",
  ],
  [{ ...ready, mode: "text" }, "mode", READY_MODE],
  /** Single fields. */
  [{ ...ready, transcript: "User: Hi" }, "transcript", MARKER_MESSAGE],
  [{ ...ready, transcript: "" }, "transcript", MARKER_MESSAGE],
  [{ ...ready, transcript: "[Text\nmode]" }, "transcript", MARKER_MESSAGE],
  [{ ...ready, transcript: "[x] whatever, no turns", message_count: 7 }, "transcript", MARKER_MESSAGE],
  [{ ...ready, transcript: "[Text mode]", message_count: 0 }, "transcript", MARKER_MESSAGE],
  [{ ...ready, transcript: "[Text mode]\nUser: Hi" }, "transcript", MARKER_MESSAGE],
  [{ ...ready, transcript: "[Text mode]\n\nUser: Hi\n\nno one said this" }, "transcript", MARKER_MESSAGE],
  [{ ...ready, message_count: 2 }, "message_count", "must be 1, which is how many turns the transcript has"],
  [{ ...ready, message_count: 1.5 }, "message_count", "must be a whole number of at least 0"],
  [{ mode: "video" }, "mode", "must be one of text, voice"],
  [{ messages: null }, "messages", "must be an array, not null"],
  [{ messages: [{ role: "user" }] }, "messages[0].text", "is missing: must be a string"],
  [{ messages: [{ role: "bot", text: "" }] }, "messages[0].role", "must be one of assistant, user"],
  [
    { messages: [{ role: "user", text: "", at: 1 }] },
    "messages[0].at",
    "is not a known field; known here are role, text",
  ],
  [{ messages: tooMany }, "messages", "must have at most 10000 items, not 10001"],
  [{ assistant_id: "" }, "assistant_id", ID_MESSAGE],
  [{ assistant_id: "a b" }, "assistant_id", ID_MESSAGE],
  [{ assistant_id: undefined }, "assistant_id", `is missing: ${ID_MESSAGE}`],
  [{ intent_level: "Medium" }, "intent_level", "must be one of high, medium, low; did you mean medium?"],
  [{ intent_level: undefined }, "intent_level", "is missing: must be one of high, medium, low"],
  [{ topics: "crm" }, "topics", "must be an array, not a string"],
  [{ topics: ["crm", 7] }, "topics[1]", "must be a string, not a number"],
  [{ conversation_summary: null }, "conversation_summary", "must be a string, not null"],
  [{ duration: -1 }, "duration", "must be a number of at least 0"],
  [{ duration: null }, "duration", "must be a number, not null"],
  [
    { completed_at: "2026-11-20T11:59:59.999Z" },
    "completed_at",
    "must not be before started_at: the same time or a later one",
  ],
  [
    { completed_at: "2026-11-20T12:30:00+01:00" },
    "completed_at",
    "must not be before started_at: the same time or a later one",
  ],
  [{ extracted_variables: null }, "extracted_variables", "must be an object, not null"],
  [
    { extracted_variables: { qualified: "yes" } },
    "extracted_variables.qualified",
    "must be true or false or null, not a string",
  ],
  [{ extracted_variables: { email: 7 } }, "extracted_variables.email", "must be a string or null, not a number"],
  [{ extracted_variables: { deep: [deep] } }, "extracted_variables", "must not be nested deeper than 32 levels"],
  [{ summary: "" }, "summary", "is not a known field"],
];

for (const [given, path, message] of REFUSED) {
  test(`refuses ${JSON.stringify(given).slice(0, 60)} at ${path}`, () => {
    const parsed = chatConversationCompleted.parse(JSON.stringify({ ...textChat, ...given }));
    assert.ok(!parsed.ok, "was accepted");
    assert.equal(parsed.error.code, "invalid_record");
    const found = parsed.error.errors?.filter((error) => error.path === path) ?? [];
    assert.deepEqual(
      found.map((error) => error.message.slice(0, message.length)),
      [message],
    );
  });
}

test("takes signals nested as deep as allowed", () => {
  assert.deepEqual(
    buildBody({ ...textChat, extracted_variables: { deep: (deep as unknown[])[0] } })["id"],
    textChat.id,
  );
});

test("survives a nesting that would overflow the stack", () => {
  const levels = 200_000;
  const parsed = chatConversationCompleted.parse(withSignals(`{"a":${"[".repeat(levels)}1.0${"]".repeat(levels)}}`));
  assert.ok(!parsed.ok);
  assert.equal(parsed.error.errors?.[0]?.path, "extracted_variables");
});

test("names a wrong form and wrong fields together", () => {
  const parsed = chatConversationCompleted.parse(JSON.stringify({ ...textChat, mode: undefined, topics: 7 }));
  assert.ok(!parsed.ok);
  assert.deepEqual(
    parsed.error.errors?.map(({ path }) => path),
    ["topics", "mode"],
  );
});
