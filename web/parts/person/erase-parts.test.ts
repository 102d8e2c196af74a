import assert from "node:assert/strict";
import { test } from "node:test";
import type { ErasedAnswer } from "../../../src/dashboard/contract/people.ts";
import { eraseParts, NOTHING_ERASED } from "./erase-parts.ts";

test("a part that is lost takes no other part’s counts along, and the next press goes on behind them", async () => {
  const answer = (count: number, next: string | null): ErasedAnswer => ({
    lines: [{ count, what: "events" }],
    inFlight: 1,
    next,
  });
  const answers = [answer(3, "evt_3"), null, answer(4, "evt_7"), answer(5, null), answer(0, null)];
  const asked: string[] = [];
  const soFar = { current: NOTHING_ERASED };
  const press = () =>
    eraseParts(soFar, async (after) => {
      asked.push(after);
      return answers[asked.length - 1] ?? assert.fail("lost");
    });
  await assert.rejects(press(), /lost/);
  assert.deepEqual(await press(), { lines: [{ count: 12, what: "events" }], inFlight: 3 });
  assert.deepEqual(asked, ["", "evt_3", "evt_3", "evt_7"]);
  // Once it is done, the next one is another erasure.
  assert.deepEqual(await press(), { lines: [{ count: 0, what: "events" }], inFlight: 1 });
  assert.equal(asked.at(-1), "");
});
