import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { createZonedFormat, csvLine, type CsvValue } from "./export-rows.ts";

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

const NOON = Date.UTC(2026, 10, 22, 12, 0, 0, 7);
const SUMMER = Date.UTC(2026, 6, 1, 12);

const ZONED: readonly (readonly [zone: string, atMs: number, text: string])[] = [
  ["UTC", NOON, "2026-11-22T12:00:00.007+00:00"],
  ["Europe/Berlin", NOON, "2026-11-22T13:00:00.007+01:00"],
  ["Europe/Berlin", SUMMER, "2026-07-01T14:00:00.000+02:00"],
  ["America/St_Johns", NOON, "2026-11-22T08:30:00.007-03:30"],
  ["Asia/Kathmandu", NOON, "2026-11-22T17:45:00.007+05:45"],
];

for (const [zone, atMs, text] of ZONED) {
  test(`${zone}: ${text}, which is the same instant`, () => {
    const format = createZonedFormat(zone) ?? assert.fail();
    assert.equal(format(atMs), text);
    assert.equal(format(atMs), text);
    assert.equal(Date.parse(text), atMs);
  });
}

test("the hour in which clocks are set back is told apart", () => {
  const format = createZonedFormat("Europe/Berlin") ?? assert.fail();
  assert.equal(format(Date.UTC(2026, 9, 25, 0, 59)), "2026-10-25T02:59:00.000+02:00");
  assert.equal(format(Date.UTC(2026, 9, 25, 1, 0)), "2026-10-25T02:00:00.000+01:00");
});

test("a zone that is not known has no format", () => {
  assert.equal(createZonedFormat("Mars/Base"), null);
});
