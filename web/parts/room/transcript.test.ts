import assert from "node:assert/strict";
import { test } from "node:test";
import { renderTranscript } from "../../../src/events/turns.ts";
import { groupTurns, parseTranscript } from "./transcript.ts";

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
