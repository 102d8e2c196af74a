import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { csvLine, type CsvValue } from "./csv.ts";

const CASES: readonly (readonly [value: CsvValue, field: string])[] = [
  [null, ""],
  [0, "0"],
  [-5, "-5"],
  ["Zoë Müller", "Zoë Müller"],
  ['say "hi"', '"say ""hi"""'],
  ["a,b", '"a,b"'],
  ["two\nlines", '"two\nlines"'],
  [" spaces ", '" spaces "'],
  ["=cmd|'/c calc'!A0", "'=cmd|'/c calc'!A0"],
  ['=HYPERLINK("http://evil.example","x")', `"'=HYPERLINK(""http://evil.example"",""x"")"`],
  ["+1 555", "'+1 555"],
  ["-1+1", "'-1+1"],
  ["@SUM(A1)", "'@SUM(A1)"],
  ["\t=1", "'\t=1"],
  ["＝1", "'＝1"],
];

for (const [value, field] of CASES) {
  test(`${JSON.stringify(value)} becomes ${JSON.stringify(field)}`, () => {
    assert.equal(csvLine([value]), `${field}\r\n`);
  });
}

/** A reader as spreadsheets have it: quotes, doubled quotes, commas, lines. */
function readCsv(text: string): string[][] {
  const lines: string[][] = [[]];
  for (const [, quoted, plain, end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/g)) {
    lines.at(-1)?.push(quoted?.replaceAll('""', '"') ?? plain ?? "");
    if (end === "\r\n") lines.push([]);
  }
  return lines.slice(0, -1);
}

test("what is read back is what was written, and nothing begins like a formula", () => {
  const texts = fc.array(fc.array(fc.string({ unit: "binary" }), { minLength: 3, maxLength: 3 }), { maxLength: 4 });
  fc.assert(
    fc.property(texts, (lines) => {
      const read = readCsv(lines.map((line) => csvLine(line)).join(""));
      assert.deepEqual(
        read.map((line) => line.map((text) => text.replace(/^'(?=[=+\-@\t\r\n＝＋－＠])/, ""))),
        lines,
      );
      assert.ok(read.flat().every((text) => !/^[=+\-@\t\r\n＝＋－＠]/.test(text)));
    }),
  );
});
