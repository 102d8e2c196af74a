import assert from "node:assert/strict";
import { test } from "node:test";
import { parsePastedHeaders } from "./pasted-lines.ts";
import { looksSecret } from "./secret-names.ts";

const PASTES: readonly (readonly [text: string, headers: readonly (readonly [string, string])[] | null])[] = [
  ["X-One: 1", [["X-One", "1"]]],
  [
    "X-One: 1\r\n\r\n  x-two:2  \n",
    [
      ["X-One", "1"],
      ["x-two", "2"],
    ],
  ],
  ["X-Url: https://a.example/x?y=1", [["X-Url", "https://a.example/x?y=1"]]],
  ["X-Empty:", [["X-Empty", ""]]],
  [
    `-H 'X-One: it"s' \\\n--header "X-Two: 2"`,
    [
      ["X-One", `it"s`],
      ["X-Two", "2"],
    ],
  ],
  [
    `"X-One": "1",\n"X-Two": "2"`,
    [
      ["X-One", "1"],
      ["X-Two", "2"],
    ],
  ],
  [`X-Quoted: "kept"`, [["X-Quoted", `"kept"`]]],
  ["https://a.example/path", null],
  ["Bearer abc.def", null],
  ["X-One: 1\nnot a header", null],
  ["", null],
];

for (const [text, headers] of PASTES) {
  test(`a paste of ${JSON.stringify(text)}`, () => {
    const parsed = parsePastedHeaders(text)?.map(({ name, value }) => [name, value]) ?? null;
    assert.deepEqual(parsed, headers);
  });
}

test("names that usually carry a secret are known", () => {
  for (const name of [
    "Authorization",
    "X-Api-Key",
    "x-auth-token",
    "X_ACCESS_KEY",
    "Ocp-Apim-Subscription-Key",
    "ApiKey",
  ]) {
    assert.equal(looksSecret(name), true, name);
  }
  for (const name of ["X-Team", "X-Tokenizer", "X-Keyboard", "X-Routing-Key", ""])
    assert.equal(looksSecret(name), false, name);
});
