import assert from "node:assert/strict";
import { test } from "node:test";
import { chooseRange } from "./choose-range.ts";

/** One with attempts in these hours, 0 being the one that has begun. */
const busyIn = (...hoursAgo: readonly number[]) => ({
  health: {
    lastDay: Array.from({ length: 24 }, (_, place) => ({
      succeeded: hoursAgo.includes(23 - place) ? 3 : 0,
      failed: 0,
    })),
  },
});

test("a young account is shown its last hour, an older one its day, a quiet one its week", () => {
  assert.equal(chooseRange([busyIn(0)]), "1h");
  assert.equal(chooseRange([busyIn(1, 0), busyIn()]), "1h");
  assert.equal(chooseRange([busyIn(0), busyIn(9)]), "24h");
  assert.equal(chooseRange([busyIn(23)]), "24h");
  assert.equal(chooseRange([busyIn()]), "7d");
  assert.equal(chooseRange([]), "7d");
});
