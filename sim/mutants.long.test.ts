import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { shrink, toReport } from "./examine.ts";
import type { Mutant } from "./mutant.ts";
import { MUTANTS } from "./mutants.ts";
import { type SeedRun, runSeed } from "./run-seed.ts";

describe("a planted bug is caught", () => {
  /** One for each group of invariants; `npm run sim -- --mutants` plants all. */
  const planted: readonly (readonly [name: string, invariant: RegExp, from?: number])[] = [
    ["acknowledged_before_commit", /under a claim|on disk/],
    ["repeats_accepted", /one record becomes one event/],
    ["fence_dropped", /whose claim was lost changes nothing/],
    ["settlement_forgotten", /every request that ended is settled/],
    ["claims_too_short", /outlasts the attempt/],
    ["hold_forgotten", /holds back the whole destination/],
    ["jitter_forgotten", /jitter spreads/],
    ["body_rebuilt", /bytes that were committed/],
    ["unwanted_type_sent", /goes where the configuration says/],
    ["failure_holds_nobody", /one goes at a time/],
    ["order_of_ids", /one goes at a time/, 140],
    ["conditions_of_another_type", /goes where the configuration says/],
    ["lane_passed_by", /no more at once than its lane allows/],
    ["reserved_place_lost", /at rest holds nothing/],
    ["low_water_mark_too_far", /whose claim was lost changes nothing|counted once/],
    ["counted_twice", /counted once/],
    ["keys_not_written", /one record becomes one event/],
    ["patient_acknowledged_early", /what nodes tell/],
    ["settled_in_another_shard", /whose claim was lost changes nothing/],
    ["away_counted_as_failure", /failed means/],
    ["change_forgets_fence", /a move fails only|in one shard as a whole/],
    ["copied_before_fence_only", /counted once|the rows say/],
    ["waiting_not_carried", /the rows say/],
    ["not_let_go", /nothing is left of a move/],
    ["directed_first", /the rows say|in one shard as a whole/],
    ["cleaned_left_out", /in one shard as a whole/],
    ["behind_used", /whose schema is another version's/],
    ["behind_fails_all", /fails but for a store that is away/],
    ["run_not_compared", /fails but for a store that is away/, 110],
    ["opening_waited_for", /claimed at once|does not wait for the others/, 50],
  ];
  for (const [name, invariant, from] of planted) {
    test(name, async () => {
      const caught = await firstBroken(MUTANTS[name], from);
      assert.match(caught?.breach?.invariant ?? "never caught", invariant);
    });
  }
});

test("a broken run is reduced to the faults that it takes, and says how to see it again", async () => {
  const mutant = MUTANTS["hold_forgotten"] ?? assert.fail();
  const found = await firstBroken(mutant);
  assert.ok(found !== null);
  const least = await shrink(found, mutant);
  assert.ok(found.faults.length > 1, "the seed itself switches on more than one");
  assert.ok(least.faults.includes("rate_limited") && least.faults.length < found.faults.length, least.faults.join());
  for (const fault of least.faults) {
    const faults = least.faults.filter((other) => other !== fault);
    assert.equal((await runSeed({ seed: found.seed, mutant, faults })).breach, null, `it breaks without ${fault}`);
  }
  const report = toReport(least, { found: found.faults, mutant: "hold_forgotten" });
  const command = `sim -- --seed ${found.seed} --faults ${least.faults.join(",")} --mutant hold_forgotten`;
  assert.ok(report.includes(command), report);
  assert.match(report, new RegExp(`settles ${least.breach?.about ?? "?"}`), "the lines tell of the delivery");
});

/** The first of 200 seeds in which the bug breaks a promise. `from`: a late one is looked for near where it shows. */
async function firstBroken(mutant: Mutant | undefined, from = 1): Promise<SeedRun | null> {
  assert.ok(mutant !== undefined, "there is no such mutant");
  for (let seed = from; seed <= 200; seed += 1) {
    const run = await runSeed({ seed, mutant, faults: mutant.faults ?? null });
    if (run.breach !== null) return run;
  }
  return null;
}
