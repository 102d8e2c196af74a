import assert from "node:assert/strict";
import { test } from "node:test";
import { statusesInWords, timeInWords } from "./filter-words.ts";

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
