import assert from "node:assert/strict";
import { test } from "node:test";
import { minutesMs } from "../lib/duration.ts";
import { createInboxPace } from "./inbox.ts";

test("the inbox is looked at once a second, and four times a second for ten minutes after it brought a record", () => {
  let nowMs = 0;
  const pace = createInboxPace({ monotonicMs: () => nowMs });
  assert.equal(pace(0), 1_000);
  assert.equal(pace(3), 250);
  nowMs = minutesMs(10) - 1;
  assert.equal(pace(0), 250);
  assert.equal(pace(1), 250, "each record begins the ten minutes anew");
  nowMs += minutesMs(10);
  assert.equal(pace(0), 1_000);
});
