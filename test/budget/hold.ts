/**
 * The path's budget: what a webhook that succeeds at once may cost, counted exactly and not timed. A change that costs
 * more must change `path.json` in the same commit and say why in its message. A change that saves must lower it, so
 * that nobody spends the saving unseen.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";

/** Each figure is for one webhook, from its record at intake to its settled delivery. */
export type Costs = Readonly<Record<string, number>>;

const FILE = join(import.meta.dirname, "path.json");
const BUDGET = JSON.parse(readFileSync(FILE, "utf8")) as Readonly<Record<string, Costs>>;

/** Pages and log records are of a fixed size, so that bytes differ a little by where a row happens to lie. */
const BYTES_TOLERANCE = 0.01;
const ROUNDING = 0.005;

/** `where` is a key of `path.json`, such as "SQLite, 50 in a commit". */
export function holdBudget(where: string, costs: Costs): void {
  const budget = BUDGET[where] ?? assert.fail(`path.json has no budget for "${where}": ${JSON.stringify(costs)}`);
  assert.deepEqual(Object.keys(costs).toSorted(), Object.keys(budget).toSorted(), `${where}: what is counted`);
  for (const [what, allowed] of Object.entries(budget)) {
    const cost = costs[what] ?? Number.NaN;
    const tolerance = /bytes/.test(what) ? allowed * BYTES_TOLERANCE : ROUNDING;
    const figures = `${where}: a webhook costs ${round(cost)} ${what}, its budget is ${allowed}.`;
    assert.ok(cost <= allowed + tolerance, `${figures} Change test/budget/path.json and say in the commit why.`);
    assert.ok(cost >= allowed - tolerance, `${figures} It is cheaper now: lower test/budget/path.json.`);
  }
}

const round = (value: number): number => Number(value.toFixed(2));
