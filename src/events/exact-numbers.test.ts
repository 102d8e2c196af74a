/** Numbers in records that a float would change: how they go out, and which are refused. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { CHAT_CONVERSATION_SAMPLES, chatConversationCompleted } from "./chat-conversation-completed.ts";
import { DEMO_VIEWED_SAMPLES, demoViewed } from "./demo-viewed.ts";
import { NUMBER_CHARS_MAX } from "./faults.ts";

/** The sample with the given number text in a field. */
const withNumber = (record: object, field: string, number: string): string =>
  JSON.stringify({ ...record, [field]: "NUMBER" }).replace('"NUMBER"', number);

const parseDemo = (field: string, number: string) =>
  demoViewed.parse(withNumber(DEMO_VIEWED_SAMPLES.knownLead, field, number));

function sentBy(parsed: ReturnType<typeof demoViewed.parse>): string {
  assert.ok(parsed.ok, parsed.ok ? "" : parsed.error.detail);
  return parsed.value.buildBody({ appUrl: "https://app.example.com" });
}

const SENT: [field: string, number: string][] = [
  ["time_spent", "9007199254740993"],
  ["time_spent", "0.1000000000000000055"],
  ["time_spent", "184.0"],
  ["time_spent", "1E2"],
  ["time_spent", "-0"],
  ["time_spent", "1e-400"],
  ["completion", "100.000"],
  ["completion", "99.99999999999999999"],
  ["completion", "1E2"],
];

for (const [field, number] of SENT) {
  test(`sends ${field} ${number} as it came`, () => {
    assert.ok(sentBy(parseDemo(field, number)).includes(`"${field}":${number},`));
  });
}

test("sends any number of time_spent with the digits it came with", () => {
  const number = fc.stringMatching(/^(?:0|[1-9]\d{0,30})(?:\.\d{1,30})?(?:[eE][+-]?\d{1,2})?$/);
  fc.assert(
    fc.property(number, (written) =>
      assert.ok(sentBy(parseDemo("time_spent", written)).includes(`"time_spent":${written},`)),
    ),
  );
});

test("sends duration as it came", () => {
  const parsed = chatConversationCompleted.parse(
    withNumber(CHAT_CONVERSATION_SAMPLES.textChat, "duration", "95.00000000000000001"),
  );
  assert.ok(sentBy(parsed).includes('"duration":95.00000000000000001,'));
});

const AT_LEAST_0 = "must be a number of at least 0";
const PER_CENT = "must be a number from 0 to 100";
const REFUSED: [field: string, number: string, message: string][] = [
  ["completion", "100.00000000000000001", PER_CENT],
  ["completion", "-1e-400", PER_CENT],
  ["time_spent", "-1e-400", AT_LEAST_0],
  ["time_spent", "1e400", "must be a number between -1.8e308 and 1.8e308"],
  ["time_spent", `1${"0".repeat(1_000)}e-990`, `must be a number of at most ${NUMBER_CHARS_MAX} characters, not 1006`],
];

for (const [field, number, message] of REFUSED) {
  test(`refuses ${field} ${number.slice(0, 30)}`, () => {
    const parsed = parseDemo(field, number);
    assert.ok(!parsed.ok, "was accepted");
    assert.deepEqual(parsed.error.errors, [{ path: field, message }]);
  });
}

test("counts turns by the digits of message_count", () => {
  const { mode: _mode, messages: _messages, ...rest } = CHAT_CONVERSATION_SAMPLES.textChat;
  const ready = { ...rest, transcript: "[Text mode]\n\nUser: Hi" };
  assert.ok(
    sentBy(chatConversationCompleted.parse(withNumber(ready, "message_count", "1.0"))).includes('"message_count":1,'),
  );
  const parsed = chatConversationCompleted.parse(withNumber(ready, "message_count", "1.00000000000000000001"));
  assert.deepEqual(!parsed.ok && parsed.error.errors, [
    { path: "message_count", message: "must be a whole number of at least 0" },
  ]);
});

test("finds a number that is too long wherever it stands, and takes long digits in strings", () => {
  const digits = "1".repeat(NUMBER_CHARS_MAX);
  const signals = (json: string) =>
    chatConversationCompleted.parse(withNumber(CHAT_CONVERSATION_SAMPLES.textChat, "extracted_variables", json));
  assert.ok(sentBy(signals(`{"a":[{"b":${digits}}],"c":"${digits}${digits}"}`)).includes(`{"b":${digits}}`));
  const parsed = signals(`{"a":[0,{"b c":-${digits}}]}`);
  const message = `must be a number of at most ${NUMBER_CHARS_MAX} characters, not ${NUMBER_CHARS_MAX + 1}`;
  assert.deepEqual(!parsed.ok && parsed.error.errors, [{ path: 'extracted_variables.a[1]["b c"]', message }]);
});
