import assert from "node:assert/strict";
import { test } from "node:test";
import { createMentions } from "./mentions.ts";

const mentions = createMentions("Jane.Doe+a@Example.com");

test("an address is found however it is written", () => {
  for (const text of [
    '{"email":"jane.doe+a@example.com"}',
    "Mail JANE.DOE+A@EXAMPLE.COM, please",
    '{"email":"jane.doe+a\\u0040example.com"}',
    '{"email":"\\u006aane.doe+a@example.com"}',
    '{"inner":"{\\"email\\":\\"jane.doe+a\\\\u0040example.com\\"}"}',
    "User: hello\\njane.doe+a@example.com\\n\\nAssistant: thanks",
    '"<jane.doe+a@example.com>"',
    "https://x.example/?email=jane.doe%2Ba%40example.com&b=1",
    "jane.doe+a@example.com.",
    "mailto:jane.doe+a@example.com",
    "'jane.doe+a@example.com'",
    "<a href='mailto:x'>'jane.doe+a@example.com'</a>",
    "https://x.example/?to=https%3A%2F%2Fy.example%2F%3Femail%3Djane.doe%252Ba%2540example.com",
    "https://x.example/?to=jane.doe%25252Ba%252540example.com",
  ]) {
    assert.ok(mentions(text), text);
  }
});

test("an address within a longer one is another person's", () => {
  for (const text of [
    "mary.jane.doe+a@example.com",
    "xjane.doe+a@example.com",
    "o'jane.doe+a@example.com",
    "jane.doe+a@example.com.au",
    "jane.doe+a@example.community",
    "jane.doe@example.com",
    "",
  ]) {
    assert.ok(!mentions(text), text);
  }
});

test("letters outside of ASCII are compared by what they are", () => {
  assert.ok(createMentions("jürgen@müller.example")("JU\u0308RGEN@MÜLLER.example"));
});
