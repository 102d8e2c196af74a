import assert from "node:assert/strict";
import { test } from "node:test";
import {
  countOn,
  hasFilters,
  logHref,
  parseQuery,
  readTyped,
  statusesInWords,
  timeInWords,
  totalInWords,
  toViewSearch,
  typedInstant,
  withFilter,
  withoutFilters,
  withStatusToggled,
} from "./filters.ts";

const search = (text: string): URLSearchParams => new URLSearchParams(text);
const NOW_MS = Date.UTC(2026, 10, 21, 11, 40, 31);

test("the address becomes the call's query, a range an instant that holds for the minute", () => {
  assert.deepEqual(
    parseQuery(search("status=failed,retrying&response=503&range=1h&tests=1&q= dlv_1 &cursor=abc"), NOW_MS),
    {
      status: "failed,retrying",
      response: "503",
      from: String(Date.UTC(2026, 10, 21, 10, 40)),
      q: "dlv_1",
      tests: "1",
      cursor: "abc",
    },
  );
  assert.deepEqual(parseQuery(search("from=5&to=9&tests=0&status="), NOW_MS), { from: "5", to: "9" });
});

test("what cannot be read is passed on for the service to refuse, not dropped", () => {
  assert.deepEqual(parseQuery(search("event=nonsense&from=tomorrow"), NOW_MS), { event: "nonsense", from: "tomorrow" });
});

test("each change of a filter starts at the newest page", () => {
  assert.equal(
    withFilter(search("response=503&cursor=abc"), "event", "demo_viewed").toString(),
    "response=503&event=demo_viewed",
  );
  assert.equal(withFilter(search("response=503&cursor=abc"), "response", null).toString(), "");
  assert.equal(withFilter(search("q=x"), "q", "   ").toString(), "");
});

test("a range and two instants exclude each other", () => {
  assert.equal(withFilter(search("from=5&to=9"), "range", "24h").toString(), "range=24h");
  assert.equal(withFilter(search("range=24h"), "from", "5").toString(), "from=5");
});

test("statuses are added and taken away one at a time", () => {
  const one = withStatusToggled(search(""), "failed");
  assert.equal(one.get("status"), "failed");
  const two = withStatusToggled(one, "retrying");
  assert.equal(two.get("status"), "failed,retrying");
  assert.equal(withStatusToggled(two, "failed").get("status"), "retrying");
  assert.equal(withStatusToggled(one, "failed").has("status"), false);
});

test("the bar counts its buttons that are on", () => {
  const cases = ["", "cursor=abc&q=x", "tests=1", "range=1h", "from=1&to=2", "status=failed,waiting&event=x&tests=1"];
  assert.deepEqual(
    cases.map((text) => countOn(search(text))),
    [0, 0, 1, 1, 1, 3],
  );
});

test("tests that are shown are no filter; clearing takes everything but what is not ours", () => {
  assert.equal(hasFilters(search("tests=1&cursor=abc")), false);
  assert.equal(hasFilters(search("q=x")), true);
  assert.equal(withoutFilters(search("q=x&status=failed&tests=1&cursor=abc&other=1")).toString(), "other=1");
});

test("a view is its filters alone, in one order and without blanks", () => {
  assert.equal(toViewSearch(search("q=+&response=503&cursor=abc&other=1&status=failed")), "status=failed&response=503");
  assert.equal(toViewSearch(search("cursor=abc&from=")), "");
});

test("the log's address keeps the filters beside an open delivery", () => {
  assert.equal(logHref(search("")), "/deliveries");
  assert.equal(logHref(search("q=a b"), "dlv_1"), "/deliveries/dlv_1?q=a+b");
});

test("a time is typed as the page writes it, and as people do", () => {
  const nowMs = new Date(2026, 10, 21, 11, 40).getTime();
  const read = (text: string): string => {
    const atMs = readTyped(text, nowMs);
    return atMs === null ? "no time" : typedInstant(String(atMs));
  };
  for (const text of ["21 Nov 2026, 09:05", "2026-11-21 09:05", "2026-11-21T09:05:30", "21 november 9:05", "9:05"]) {
    assert.equal(read(text), "21 Nov 2026, 09:05", text);
  }
  assert.equal(read("3 Nov"), "3 Nov 2026, 00:00");
  assert.equal(read("24 Dec"), "24 Dec 2025, 00:00", "a day without a year lies behind us");
  for (const text of ["", "soon", "31 Feb 2026", "21 Nov 2026, 25:00", "11/21/2026", "21 Nox", "12"]) {
    assert.equal(read(text), "no time", text);
  }
  for (const value of [null, "", "soon"]) assert.equal(typedInstant(value), "");
});

test("a button names one or two statuses, and counts more", () => {
  const cases = [["failed"], ["failed", "retrying"], ["failed", "retrying", "waiting"], ["soon"]];
  const words = { failed: { word: "Failed" }, retrying: { word: "Retrying" } };
  const told = cases.map((statuses) => statusesInWords(statuses, words));
  assert.deepEqual(told, ["Failed", "Failed, Retrying", "3 chosen", "soon"]);
});

test("a button names the time as it was chosen, and what it cannot read as it stands in the address", () => {
  const [from, to] = [new Date(2026, 10, 21, 9, 5).getTime(), new Date(2026, 10, 22, 10, 0).getTime()];
  const cases = ["", "range=1h", "range=9h", `from=${from}`, `to=${to}`, `from=${from}&to=${to}`, "from=soon", "from="];
  assert.deepEqual(
    cases.map((text) => timeInWords(new URLSearchParams(text))),
    [
      null,
      "Last hour",
      "9h",
      "since 21 Nov 2026, 09:05",
      "until 22 Nov 2026, 10:00",
      "21 Nov 2026, 09:05 to 22 Nov 2026, 10:00",
      "since soon",
      null,
    ],
  );
});

test("one page counts itself; a longer list says what the service counted, and that it was cut", () => {
  const words = (rows: number, isOnePage: boolean, total?: { count: number; isWhole: boolean }) =>
    totalInWords({ rows, isOnePage, total });
  assert.equal(words(0, true), "0 deliveries");
  assert.equal(words(1, true), "1 delivery");
  assert.equal(words(50, false), "");
  assert.equal(words(50, false, { count: 1_204, isWhole: true }), "1,204 deliveries");
  assert.equal(words(50, false, { count: 10_000, isWhole: false }), "At least 10,000");
  assert.equal(words(50, false, { count: 3, isWhole: false }), "At least 50");
  assert.equal(words(0, false, { count: 0, isWhole: false }), "", "a search that stopped early");
});
