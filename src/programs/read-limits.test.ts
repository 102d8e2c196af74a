/** What reads of programs leave to everything else. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { ok } from "../lib/result.ts";
import { createVirtualClock } from "../../test/kit/world/virtual-clock.ts";
import { createReadLimits } from "./read-limits.ts";

test("reads take turns, and a dear one is followed by a rest of three times its excess", async () => {
  const clock = createVirtualClock();
  const { inTurn } = createReadLimits(clock);
  const begun: (readonly [string, number])[] = [];
  const read = async (name: string, ms: number) =>
    await inTurn(async () => {
      begun.push([name, clock.monotonicMs()]);
      await new Promise<void>((resolve) => void clock.after(ms, resolve));
      return ok(name);
    });
  const asked = [read("dear", 20), read("usual", 5), read("last", 1)];
  for (let ms = 0; ms < 120; ms += 1) await clock.advance(1);
  const [first = 0, ...others] = begun.map(([, at]) => at);
  assert.deepEqual(
    begun.map(([name]) => name),
    ["dear", "usual", "last"],
  );
  assert.deepEqual(
    others.map((at) => at - first),
    [20 + 45, 20 + 45 + 5],
  );
  assert.deepEqual(await Promise.all(asked), [ok("dear"), ok("usual"), ok("last")]);
});
