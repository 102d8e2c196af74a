import assert from "node:assert/strict";
import { test } from "node:test";
import { createZonedFormat } from "./zoned-time.ts";

const NOON = Date.UTC(2026, 10, 22, 12, 0, 0, 7);
const SUMMER = Date.UTC(2026, 6, 1, 12);

const CASES: readonly (readonly [zone: string, atMs: number, text: string])[] = [
  ["UTC", NOON, "2026-11-22T12:00:00.007+00:00"],
  ["Europe/Berlin", NOON, "2026-11-22T13:00:00.007+01:00"],
  ["Europe/Berlin", SUMMER, "2026-07-01T14:00:00.000+02:00"],
  ["America/St_Johns", NOON, "2026-11-22T08:30:00.007-03:30"],
  ["Asia/Kathmandu", NOON, "2026-11-22T17:45:00.007+05:45"],
];

for (const [zone, atMs, text] of CASES) {
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
