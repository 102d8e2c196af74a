import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { TIMESTAMP_PATTERN, bodyTimestampText, epochMs, isTimestamp } from "./timestamp.ts";

const SHAPES: [given: string, body: string][] = [
  ["2026-11-20T12:00:00.000+00:00", "2026-11-20T12:00:00.000+00:00"],
  ["2026-11-20T12:00:00Z", "2026-11-20T12:00:00.000+00:00"],
  ["2026-11-20T12:00:00-00:00", "2026-11-20T12:00:00.000+00:00"],
  ["2026-11-20T12:00:00.000-00:00", "2026-11-20T12:00:00.000+00:00"],
  ["2026-11-20T12:00:00.5Z", "2026-11-20T12:00:00.500+00:00"],
  ["2026-11-20T12:00:00.9999999+05:30", "2026-11-20T12:00:00.999+05:30"],
  // Has the length of the body's form, but not the form.
  ["2026-11-20T12:00:00.12345678Z", "2026-11-20T12:00:00.123+00:00"],
  ["2026-11-20T12:00:00-03:30", "2026-11-20T12:00:00.000-03:30"],
  ["2026-11-20T12:00:00+14:00", "2026-11-20T12:00:00.000+14:00"],
  ["2026-11-20T12:00:00-14:00", "2026-11-20T12:00:00.000-14:00"],
  ["2024-02-29T23:59:59.123456789Z", "2024-02-29T23:59:59.123+00:00"],
  ["2000-02-29T00:00:00Z", "2000-02-29T00:00:00.000+00:00"],
];

for (const [given, body] of SHAPES) {
  test(`writes ${given} as ${body}`, () => {
    assert.equal(isTimestamp(given), true);
    assert.equal(bodyTimestampText(given), body);
  });
}

const REFUSED: [why: string, given: string][] = [
  ["no offset", "2026-11-20T12:00:00"],
  ["no time", "2026-11-20"],
  ["no seconds", "2026-11-20T12:00Z"],
  ["a space instead of T", "2026-11-20 12:00:00Z"],
  ["lower-case letters", "2026-11-20t12:00:00z"],
  ["an offset without colon", "2026-11-20T12:00:00+0000"],
  ["an offset without minutes", "2026-11-20T12:00:00+00"],
  ["an empty fraction", "2026-11-20T12:00:00.Z"],
  ["a comma before the fraction", "2026-11-20T12:00:00,5Z"],
  ["ten digits of fraction", "2026-11-20T12:00:00.1234567890Z"],
  ["30 February", "2026-02-30T12:00:00Z"],
  ["29 February of a common year", "2026-02-29T12:00:00Z"],
  ["29 February of 1900", "1900-02-29T12:00:00Z"],
  ["31 April", "2026-04-31T12:00:00Z"],
  ["day 0", "2026-11-00T12:00:00Z"],
  ["month 0", "2026-00-20T12:00:00Z"],
  ["month 13", "2026-13-20T12:00:00Z"],
  ["hour 24", "2026-11-20T24:00:00Z"],
  ["minute 60", "2026-11-20T12:60:00Z"],
  ["a leap second", "2016-12-31T23:59:60Z"],
  ["an offset of +14:01", "2026-11-20T12:00:00+14:01"],
  ["an offset of -15:00", "2026-11-20T12:00:00-15:00"],
  ["60 minutes in the offset", "2026-11-20T12:00:00+05:60"],
  ["a year of five digits", "12026-11-20T12:00:00Z"],
  ["text around it", " 2026-11-20T12:00:00Z"],
  ["a line break behind it", "2026-11-20T12:00:00Z\n"],
  ["digits of another script", "２０26-11-20T12:00:00Z"],
  ["seconds since the epoch", "1795176000"],
  ["nothing", ""],
];

for (const [why, given] of REFUSED) {
  test(`refuses a time with ${why}`, () => assert.equal(isTimestamp(given), false));
}

test("compares instants across offsets", () => {
  assert.equal(epochMs("2026-11-20T12:00:00+05:30"), epochMs("2026-11-20T06:30:00Z"));
  assert.equal(epochMs("1970-01-01T00:00:00.001Z"), 1);
});

const twoDigits = (value: number): string => String(value).padStart(2, "0");

/** A local time, a fraction of 0 to 9 digits and an offset, all of them legal. */
const legal = fc
  .record({
    localMs: fc.integer({ min: Date.parse("0001-01-01T00:00:00Z"), max: Date.parse("9999-12-31T23:59:59Z") }),
    fraction: fc.stringMatching(/^\d{0,9}$/),
    offsetMinutes: fc.integer({ min: -840, max: 840 }),
    asZ: fc.boolean(),
  })
  .map(({ localMs, fraction, offsetMinutes, asZ }) => {
    const clock = new Date(localMs).toISOString().slice(0, 19);
    const minutes = asZ ? 0 : Math.abs(offsetMinutes);
    const sign = offsetMinutes < 0 && minutes > 0 ? "-" : "+";
    const offset = `${sign}${twoDigits(Math.floor(minutes / 60))}:${twoDigits(minutes % 60)}`;
    const text = `${clock}${fraction === "" ? "" : `.${fraction}`}${asZ ? "Z" : offset}`;
    return { text, clock, fraction, offset };
  });

test("keeps clock, milliseconds and offset of every legal time", () => {
  fc.assert(
    fc.property(legal, ({ text, clock, fraction, offset }) => {
      assert.equal(isTimestamp(text), true);
      const body = bodyTimestampText(text);
      assert.match(body, new RegExp(TIMESTAMP_PATTERN));
      assert.equal(body, `${clock}.${fraction.padEnd(3, "0").slice(0, 3)}${offset}`);
      assert.equal(bodyTimestampText(body), body);
      assert.equal(epochMs(body), Date.parse(body));
    }),
    { numRuns: 500 },
  );
});

test("accepts a date exactly when the calendar has it", () => {
  const part = fc.integer({ min: 0, max: 99 });
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 9999 }), part, part, (year, month, day) => {
      const text = `${String(year).padStart(4, "0")}-${twoDigits(month)}-${twoDigits(day)}`;
      const date = new Date(0);
      date.setUTCFullYear(year, month - 1, day);
      const exists = date.toISOString().slice(0, 10) === text;
      assert.equal(isTimestamp(`${text}T00:00:00Z`), exists);
    }),
    { numRuns: 2_000 },
  );
});
