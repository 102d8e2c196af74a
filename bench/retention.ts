/**
 * `node bench/retention.ts`: how many bodies a node on SQLite empties in a second when they are too old, alone and
 * beside accepts, and what that does to those accepts. The real housekeeping on a file with full sync; what is too old
 * was made through the store's own verbs. `--quick` makes a third of it.
 *
 * Ends with 1 when it empties fewer alone than one node accepts at its peak.
 */
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { systemClock } from "../src/lib/clock.ts";
import { daysMs } from "../src/lib/duration.ts";
import { openSqliteStore } from "../src/store/sqlite/open.ts";
import type { Store } from "../src/store/contract/store.ts";
import { describeMachine } from "./conditions.ts";
import { newDiskFolder } from "../test/kit/folder.ts";
import { makeHistory } from "./log-history.ts";
import { CALLERS, PAUSE_MS, RETENTION, startAccepts, startHousekeeping, WINDOW_MS } from "./retention-work.ts";
import { pause } from "../test/kit/wait.ts";

const DELIVERIES = process.argv.includes("--quick") ? 60_000 : 180_000;
/** Records that one node accepted at its peak when the gate was set (`npm run bench`, NDJSON). */
const GATE_PER_SECOND = 10_000;

const folder = newDiskFolder("retention");
for (const line of describeMachine(folder)) console.log(`- ${line}`);
process.exit((await measure()) ? 0 : 1);

async function measure(): Promise<boolean> {
  const path = join(folder, "retention.db");
  await using store = await openSqliteStore({ path, clock: systemClock });
  const shape = { accounts: 2, destinations: 15, deliveries: DELIVERIES, nowMs: Date.now() - daysMs(31) };
  const [account] = await makeHistory(store, shape);
  if (account === undefined) throw new Error("there is no account");
  console.log(`- ${bodiesIn(path)} bodies that are too old; windows of ${WINDOW_MS / 1000} s`);
  console.log(`- beside: ${CALLERS} callers, ${PAUSE_MS} ms between an answer and the next accept\n`);
  console.log("| Bodies emptied | a second | accepts a second | accept p50 ms | p99 ms | most ms |");
  console.log("|---|---|---|---|---|---|");
  const accepts = startAccepts(store, account);
  print("none, accepts alone", 0, await accepts());
  const beside = await emptying(store, path, accepts);
  print("beside accepts", beside.perSecond, beside.answer);
  const alone = await emptying(store, path, () => pause(WINDOW_MS));
  print("alone", alone.perSecond, []);
  const isKept = alone.perSecond >= GATE_PER_SECOND;
  console.log(`\n${alone.perSecond.toFixed(0)} a second; gate ${GATE_PER_SECOND}: ${isKept ? "kept" : "MISSED"}`);
  return isKept;
}

interface Emptied<Value> {
  readonly perSecond: number;
  readonly answer: Value;
}

/** Runs the housekeeping while `meanwhile` does. */
async function emptying<Value>(store: Store, path: string, meanwhile: () => Promise<Value>): Promise<Emptied<Value>> {
  const before = bodiesIn(path);
  const startedMs = performance.now();
  await using housekeeping = startHousekeeping(store);
  const answer = await meanwhile();
  await housekeeping.stop();
  const left = bodiesIn(path);
  if (left === 0) throw new Error("there were too few bodies for a window");
  return { perSecond: (before - left) / ((performance.now() - startedMs) / 1000), answer };
}

function print(what: string, perSecond: number, times: readonly number[]): void {
  const sorted = times.toSorted((one, other) => one - other);
  const at = (share: number): string => (sorted[Math.ceil(sorted.length * share) - 1] ?? Number.NaN).toFixed(1);
  const accepts =
    times.length === 0 ? ["", "", "", ""] : [(times.length / (WINDOW_MS / 1000)).toFixed(0), at(0.5), at(0.99), at(1)];
  console.log(`| ${[what, perSecond.toFixed(0), ...accepts].join(" | ")} |`);
}

function bodiesIn(path: string): number {
  const database = new DatabaseSync(path, { readOnly: true });
  const sql = "select count(*) as count from events where octet_length(body) > 0 and accepted_at < ?";
  const { count } = database.prepare(sql).get(Date.now() - RETENTION.payloadMs) as { count: number };
  database.close();
  return count;
}
