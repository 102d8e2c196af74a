import assert from "node:assert/strict";
import { test } from "node:test";
import {
  toChips,
  hasFilters,
  instantOfLocalInput,
  localInputValue,
  logHref,
  parseQuery,
  withFilter,
  withStatusToggled,
  withoutFilters,
} from "./filters.ts";

const search = (text: string): URLSearchParams => new URLSearchParams(text);
const NOW_MS = Date.UTC(2026, 10, 21, 11, 40, 31);

test("the address becomes the call's query, a range an instant that holds for the minute", () => {
  assert.deepEqual(
    parseQuery(search("status=failed,retrying&response=503&range=1h&tests=1&q= dlv_1 &cursor=abc"), NOW_MS),
    {
      status: "failed,retrying",
      response: "503",
      from: Date.UTC(2026, 10, 21, 10, 40),
      q: "dlv_1",
      tests: "1",
      cursor: "abc",
    },
  );
  assert.deepEqual(parseQuery(search("from=5&to=9&tests=0&status="), NOW_MS), { from: 5, to: 9 });
});

test("what cannot be read is passed on for the service to refuse, not dropped", () => {
  assert.deepEqual(parseQuery(search("event=nonsense&from=tomorrow"), NOW_MS), { event: "nonsense", from: Number.NaN });
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

test("each filter is a chip in words, with the address without it", () => {
  const chips = toChips(
    search("status=failed,waiting&event=demo_viewed&destination=dst_1&response=none&range=24h&tests=1&cursor=abc"),
    (id) => (id === "dst_1" ? "New leads" : null),
    (status) => status.toUpperCase(),
  );
  assert.deepEqual(
    chips.map(({ label }) => label),
    [
      "Status: FAILED",
      "Status: WAITING",
      "Event: Demo viewed",
      "Destination: New leads",
      "Response: No answer",
      "Last 24 hours",
      "Tests are shown",
    ],
  );
  assert.equal(chips[0]?.without.get("status"), "waiting");
  assert.equal(chips[3]?.without.has("destination"), false);
  assert.equal(
    chips.every(({ without }) => !without.has("cursor")),
    true,
  );
});

test("chips show what is written in the address when nobody knows it", () => {
  const labels = toChips(search("event=x&destination=dst_9&from=soon"), () => null, String).map(({ label }) => label);
  assert.deepEqual(labels, ["Event: x", "Destination: dst_9", "From soon"]);
});

test("tests that are shown are no filter; clearing takes everything but what is not ours", () => {
  assert.equal(hasFilters(search("tests=1&cursor=abc")), false);
  assert.equal(hasFilters(search("q=x")), true);
  assert.equal(withoutFilters(search("q=x&status=failed&tests=1&cursor=abc&other=1")).toString(), "other=1");
});

test("the log's address keeps the filters beside an open delivery", () => {
  assert.equal(logHref(search("")), "/deliveries");
  assert.equal(logHref(search("q=a b"), "dlv_1"), "/deliveries/dlv_1?q=a+b");
});

test("local date and time go through the input and back to the minute", () => {
  const atMs = new Date(2026, 10, 21, 9, 5).getTime();
  assert.equal(localInputValue(String(atMs)), "2026-11-21T09:05");
  assert.equal(instantOfLocalInput("2026-11-21T09:05"), String(atMs));
  assert.equal(localInputValue("soon"), "");
  assert.equal(localInputValue(null), "");
  assert.equal(instantOfLocalInput(""), null);
});
