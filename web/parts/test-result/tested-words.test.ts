import assert from "node:assert/strict";
import { test } from "node:test";
import { type Tested, testedWords } from "./tested-words.ts";

const tested = (url: string, headers: Readonly<Record<string, string>> = {}, sent = url): Tested => ({
  answer: { request: { url, headers, body: "{}" } },
  sent,
});

const HOOK = "https://acme.example/hook";
const KEY = { "x-api-key": "$X_API_KEY" };

test("tests of one visit are told apart by address, and by what changed since the one before", () => {
  const oldestFirst = [
    tested("http://acme.example/"),
    tested(HOOK),
    tested(HOOK),
    tested(HOOK, KEY, "with a key"),
    tested(HOOK, KEY, "with another key"),
    tested(HOOK, { "x-team": "sales" }, "with a team"),
  ];
  const kept = oldestFirst.toReversed();
  assert.deepEqual(kept.map((_, index) => testedWords(kept, index)).toReversed(), [
    "http://acme.example",
    "acme.example/hook",
    "acme.example/hook · once more",
    "acme.example/hook · with x-api-key",
    "acme.example/hook · other values",
    "acme.example/hook · with x-team, without x-api-key",
  ]);
});

test("a long address keeps its beginning and its end", () => {
  const words = testedWords([tested(`https://acme.example/${"a".repeat(100)}/last`)], 0);
  assert.match(words, /^acme\.example\/a+…a+\/last$/);
  assert.equal(words.length, 40);
});
