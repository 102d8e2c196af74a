import assert from "node:assert/strict";
import { describe, test } from "node:test";
import {
  addRow,
  changeRow,
  type HeaderList,
  looksSecret,
  nameRow,
  parsePastedHeaders,
  pasteIntoRow,
  removeRow,
} from "./rows.ts";

const EMPTY: HeaderList = { rows: [], nextId: 1 };
const TWO = changeRow(nameRow(nameRow(addRow(addRow(EMPTY)), 1, "X-Team"), 2, "X-Api-Key"), 1, (row) => ({
  ...row,
  value: "sales",
}));

const toCells = (list: HeaderList) => list.rows.map(({ id, name, value, isSecret }) => [id, name, value, isSecret]);

describe("a list of custom headers", () => {
  test("keeps rows in their order and their ids when one between them is removed", () => {
    const three = addRow(addRow(addRow(EMPTY)));
    const named = nameRow(nameRow(nameRow(three, 1, "A"), 2, "B"), 3, "C");
    const without = addRow(removeRow(named, 2));
    assert.deepEqual(
      without.rows.map(({ id, name }) => [id, name]),
      [
        [1, "A"],
        [3, "C"],
        [4, ""],
      ],
    );
  });

  test("ticks Secret by the name until somebody has chosen", () => {
    const one = addRow(EMPTY);
    const ticked = nameRow(one, 1, "X-Api-Key");
    const unticked = changeRow(ticked, 1, (row) => ({ ...row, isSecret: false, isTickChosen: true }));
    assert.deepEqual(
      [nameRow(one, 1, "X-Api").rows, ticked.rows, nameRow(unticked, 1, "Authorization").rows].map(
        ([row]) => row?.isSecret,
      ),
      [false, true, false],
    );
  });

  test("fills an empty row and new ones from pasted lines", () => {
    const pasted = pasteIntoRow(addRow(TWO), 3, "X-One: 1\nAuthorization: Bearer abc");
    assert.ok(pasted !== null);
    assert.deepEqual(toCells(pasted).slice(2), [
      [3, "X-One", "1", false],
      [5, "Authorization", "Bearer abc", true],
    ]);
    assert.equal(new Set(addRow(pasted).rows.map(({ id }) => id)).size, 5);
  });

  test("adds pasted lines behind a row that has something in it, and leaves a single line to the field", () => {
    const list = TWO;
    assert.deepEqual(
      toCells(pasteIntoRow(list, 1, "a: 1\nb: 2") ?? list).map(([, name]) => name),
      ["X-Team", "a", "b", "X-Api-Key"],
    );
    assert.equal(pasteIntoRow(list, 1, "a: 1"), null);
    assert.equal(pasteIntoRow(list, 1, "just words"), null);
  });
});

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
