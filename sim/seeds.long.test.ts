import assert from "node:assert/strict";
import { test } from "node:test";
import { runTwice, shrink, toReport } from "./examine.ts";

/** Fewer seeds reach fewer states; `npm run sim -- --seeds 1000` demands all of them. */
const STATES_MIN = 20;

test("the engine keeps every promise in 25 more seeds, and each repeats its trace", async () => {
  const reached = new Set<string>();
  // Those before are in sim.test.ts.
  for (let seed = 11; seed <= 35; seed += 1) {
    const run = await runTwice({ seed });
    if (run.breach !== null) assert.fail(toReport(await shrink(run), { found: run.faults }));
    for (const state of run.reached) reached.add(state);
  }
  assert.ok(reached.size >= STATES_MIN, `only these states were reached: ${[...reached].join("; ")}`);
});
