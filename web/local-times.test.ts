import assert from "node:assert/strict";
import { test } from "node:test";
import { timeInWords } from "../src/lib/time-in-words.ts";
import { withLocalTimes } from "./local-times.ts";
import { minute } from "./words.ts";

const AT_MS = Date.UTC(2026, 10, 3, 23, 5);

test("an instant in a sentence of the service's is written in the reader's time", () => {
  const told = withLocalTimes(`Ana changed it at ${timeInWords(AT_MS)}, and again at ${timeInWords(AT_MS + 60_000)}.`);
  assert.equal(told, `Ana changed it at ${minute(AT_MS)}, and again at ${minute(AT_MS + 60_000)}.`);
  assert.doesNotMatch(told, /UTC/);
});

test("every other word of it stays, a wrong date included", () => {
  const sentence = "It asked for 90 s at 12:00:00 UTC, and at 99:99 UTC on 40 Abc 2026.";
  assert.equal(withLocalTimes(sentence), sentence);
});
