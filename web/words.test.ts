import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { durationInWords, timeInWords } from "../src/lib/written-times.ts";
import { count, duration, exactUtc, minute, relative, shortened, withLocalTimes } from "./words.ts";

const NOW = Date.UTC(2026, 10, 21, 12);

test("a duration is written in the unit that fits it, rounded", () => {
  const written = [0, 212, 999, 1000, 1299, 9_999, 10_000, 59_999, 60_000, 185_000, 3_600_000, 7_800_000].map(duration);
  assert.deepEqual(written, [
    "0 ms",
    "212 ms",
    "999 ms",
    "1.0 s",
    "1.3 s",
    "10 s",
    "10 s",
    "1 min",
    "1 min",
    "3 min 5 s",
    "1 h",
    "2 h 10 min",
  ]);
  assert.deepEqual([86_400_000, 2 * 86_400_000 + 4 * 3_600_000].map(duration), ["1 day", "2 days 4 h"]);
});

test("an attempt that ended just before its deadline reads as the deadline does in the service's sentences", () => {
  assert.deepEqual([14_998, 15_000, 15_004].map(duration), ["15 s", "15 s", "15 s"]);
  assert.equal(duration(14_998), durationInWords(14_998));
  assert.equal(duration(999.7), "1.0 s");
});

test("a time is told from now, and as a date beyond 30 days", () => {
  const told = [-500, -4_000, -240_000, -7_200_000, -86_400_000, 240_000, 7_200_000, -40 * 86_400_000].map((ms) =>
    relative(NOW + ms, NOW),
  );
  assert.deepEqual(told, [
    "now",
    "4 sec ago",
    "4 min ago",
    "2 h ago",
    "1 day ago",
    "in 4 min",
    "in 2 h",
    "12 Oct 2026",
  ]);
});

test("one is singular, everything else plural, with thousands separated", () => {
  assert.deepEqual(
    [count(0, "delivery", "deliveries"), count(1, "alert"), count(1204, "delivery", "deliveries")],
    ["0 deliveries", "1 alert", "1,204 deliveries"],
  );
});

test("the exact time has its milliseconds", () => {
  assert.equal(exactUtc(NOW + 7), "2026-11-21 12:00:00.007 UTC");
});

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

test("a long text is cut behind a whole word, and says that it is cut", () => {
  const told = [shortened("wants an audit log", 18), shortened("wants an audit log", 12), shortened("a".repeat(9), 4)];
  assert.deepEqual(told, ["wants an audit log", "wants an…", "aaaa…"]);
});

/**
 * Two words for two things: "Send again" what has ended, "Send now" what waits. The words of a page: its texts in
 * quotes, and between tags; a sentence may put it otherwise.
 */
test("what sends again says so with one word, and what does not wait with another", () => {
  const sources = globSync("**/*.{ts,tsx}", { cwd: import.meta.dirname, exclude: ["dist/**", "**/*.test.ts"] });
  assert.ok(sources.length > 200, `${sources.length} files were read`);
  const others = sources.flatMap((path) =>
    readFileSync(join(import.meta.dirname, path), "utf8")
      .split("\n")
      .filter((line) => !/^\s*(?:\/\/|\/?\*)/.test(line))
      .flatMap((line) => line.match(OTHER_WORDS) ?? [])
      .map((words) => `${path}: ${words.trim()}`),
  );
  assert.deepEqual(others, []);
});

/** A label begins where a text does: behind a quote, a tag or the indent. With a number in it, it is a question. */
const OTHER_WORDS =
  /(?<=["'`>]|^\s*)(?:(?:Resend|Replay|Retry)\b|Recent sends|Send (?:all|what)|Send (?!again)[\w ]*\bagain\b)[^"'`<]*/g;
