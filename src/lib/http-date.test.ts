import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";
import { readHttpDate } from "./http-date.ts";

const NOW = Date.UTC(2026, 10, 25, 12);
const EXAMPLE = Date.UTC(1994, 10, 6, 8, 49, 37);

const ROWS: readonly [text: string, instantMs: number | null][] = [
  ["Sun, 06 Nov 1994 08:49:37 GMT", EXAMPLE],
  ["Sunday, 06-Nov-94 08:49:37 GMT", EXAMPLE],
  ["Sun Nov  6 08:49:37 1994", EXAMPLE],
  ["Wed Nov 16 08:49:37 1994", Date.UTC(1994, 10, 16, 8, 49, 37)],
  ["Wednesday, 25-Nov-76 12:00:00 GMT", Date.UTC(2076, 10, 25, 12)],
  ["Friday, 25-Nov-77 12:00:00 GMT", Date.UTC(1977, 10, 25, 12)],
  ["Tue, 29 Feb 2028 00:00:00 GMT", Date.UTC(2028, 1, 29)],
  ["Sat, 31 Dec 2016 23:59:60 GMT", Date.UTC(2017, 0, 1)],
  ["Sat, 01 Jan 0050 00:00:00 GMT", Date.parse("0050-01-01T00:00:00Z")],
  ["Thu, 30 Feb 2028 00:00:00 GMT", null],
  ["Tue, 00 Nov 2026 00:00:00 GMT", null],
  ["Sun, 06 Nov 1994 24:00:00 GMT", null],
  ["Sun, 06 Nov 1994 08:49:37.5 GMT", null],
  ["Sun, 06 Nov 1994 08:49:37 +0100", null],
  ["Sun, 06 Nov 1994 08:49:37", null],
  ["Sun Nov 6 08:49:37 1994", EXAMPLE],
  ["Sun, 6 Nov 1994 08:49:37 GMT", EXAMPLE],
  [" SUN,  06 NOV 1994\t08:49:37 UTC ", EXAMPLE],
  ["Sun, 06 Nov 1994 08:49:37 +0000", EXAMPLE],
  ["Sun Nov  6 08:49:37 1994 GMT", null],
  ["1994-11-06T08:49:37Z", null],
  ["784111777", null],
  ["sun, 06 nov 1994 08:49:37 gmt", EXAMPLE],
  ["", null],
];

for (const [text, instantMs] of ROWS) {
  test(`"${text}" is ${instantMs === null ? "no date of HTTP" : new Date(instantMs).toISOString()}`, () => {
    assert.equal(readHttpDate(text, NOW), instantMs);
  });
}

for (const zone of ["America/New_York", "Asia/Kolkata", "Asia/Tokyo"]) {
  test(`each form is UTC in a process whose zone is ${zone}`, () => {
    const texts = ROWS.slice(0, 3).map(([text]) => text);
    const code = `import { readHttpDate } from "./http-date.ts";
      console.log(JSON.stringify(${JSON.stringify(texts)}.map((text) => readHttpDate(text, ${NOW}))));`;
    const flags = ["--input-type=module-typescript", "-e", code];
    const answer = execFileSync(process.execPath, flags, { cwd: import.meta.dirname, env: { TZ: zone } });
    assert.deepEqual(JSON.parse(answer.toString()), [EXAMPLE, EXAMPLE, EXAMPLE]);
  });
}
