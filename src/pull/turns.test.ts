import assert from "node:assert/strict";
import { test } from "node:test";
import { createVirtualClock } from "../../test/kit/world/virtual-clock.ts";
import { LIMITS } from "../domain/limits.ts";
import { createCallLimits } from "../http/call-limits.ts";
import { createTurns } from "./turns.ts";

test("of a flood of questions that wait, ten wait for their turn, and the others are refused at once", async () => {
  const clock = createVirtualClock();
  const perSecondMax = LIMITS.pullCallsPerSecondMax;
  const begin = createTurns(createCallLimits({ clock, atOnceMax: 1_000, perSecondMax }), clock);
  const ended: (string | null)[] = [];
  const asked = Array.from({ length: 1_000 }, async () => {
    ended.push(await begin({ destinationId: "dst_a", isWaiting: true }));
  });
  await clock.advance(0);
  assert.equal(ended.filter((refusal) => refusal === null).length, perSecondMax);
  assert.equal(ended.filter((refusal) => refusal === "per_second").length, 1_000 - perSecondMax - 10);
  assert.equal(await begin({ destinationId: "dst_a", isWaiting: false }), "per_second");
  assert.equal(await begin({ destinationId: "dst_b", isWaiting: true }), null, "another token's begins");
  for (let ms = 0; ms < 1_000; ms += 10) await clock.advance(10);
  await Promise.all(asked);
  assert.equal(ended.filter((refusal) => refusal === null).length, perSecondMax + 10);
});
