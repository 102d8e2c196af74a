import assert from "node:assert/strict";
import { test } from "node:test";
import { keepUnits } from "./keep-units.ts";

test("a figure and its unit stay in one line, and other words may part", () => {
  assert.equal(
    keepUnits("Half within 87 ms, 99 % within 2 h 10 min. 3 attempts got no answer."),
    "Half within 87\u00a0ms, 99\u00a0% within 2\u00a0h 10\u00a0min. 3 attempts got no answer.",
  );
});
