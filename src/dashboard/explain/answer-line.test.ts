import assert from "node:assert/strict";
import { test } from "node:test";
import { toAnswerLine } from "./answer-line.ts";

const answered = (text: string) =>
  toAnswerLine({
    technical: "",
    response: { status: 500, headers: {}, body: { kind: "text", text }, isCut: false, isPurged: false },
  });

const LINES: readonly (readonly [what: string, body: string, line: string])[] = [
  ["one line as it is", "upstream is down", "upstream is down"],
  ["the first line that has words", "\n  \r\n TypeError: no email\n    at handler (app.js:1)", "TypeError: no email"],
  ["JSON on one line", '{\n  "error": "no email"\n}', '{ "error": "no email" }'],
  ["the title of a page", "<!DOCTYPE html><head>\n<title>502 Bad Gateway</title></head>", "502 Bad Gateway"],
  ["the first words of a page without one", "<html><body>\n<h1>Oops</h1><p>later</p>", "Oops"],
  [
    "markup that is no page as it is",
    "<Error><Code>AccessDenied</Code></Error>",
    "<Error><Code>AccessDenied</Code></Error>",
  ],
  ["nothing of an empty body", " \n", ""],
];

for (const [what, body, line] of LINES) {
  test(`one line of an answer is ${what}`, () => assert.equal(answered(body), line));
}

test("a long line ends with a mark", () => assert.equal(answered("x".repeat(5_000)), `${"x".repeat(200)}…`));

test("without an answer it is the words of the failure, and nothing of bytes that are no text", () => {
  assert.equal(toAnswerLine({ response: null, technical: "ECONNRESET: reset" }), "ECONNRESET: reset");
  const body = { kind: "binary", base64: "AA==", bytes: 1 } as const;
  const response = { status: 500, headers: {}, body, isCut: false, isPurged: false };
  assert.equal(toAnswerLine({ technical: "", response }), "");
});

test("tags that never close cost no time", () => {
  const startedMs = performance.now();
  answered(`<html>${"<title".repeat(50_000)}`);
  assert.ok(performance.now() - startedMs < 1_000);
});
