import { statSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { serialize } from "node:v8";
import { packAttempt, type AttemptColumns } from "../../src/store/sqlite/attempts.ts";
import { commitCalls } from "../../src/store/sqlite/commit.ts";
import type { Connection } from "../../src/store/sqlite/connection/connection.ts";
import { openDatabaseFile } from "../../src/store/sqlite/writer/database-file.ts";
import type { Call } from "../../src/store/calls.ts";
import { T0 } from "../../src/store/conformance/world.ts";
import { newFolder } from "../kit/folder.ts";
import { type Costs, holdBudget } from "./hold.ts";
import { acceptCalls, claimCall, setUpCalls, settleCalls, type Webhooks } from "./path-calls.ts";

const WEBHOOKS = 200;
const CONFIG_VERSION = 3;

type Commits = Pick<Run, "batch" | "leavesOut" | "isMade" | "oneAtATime">;

const LOADS: readonly (readonly [load: string, commits: Commits])[] = [
  ["1 in a commit", { batch: 1, leavesOut: false }],
  ["1 in a commit, one at a time", { batch: 1, oneAtATime: true }],
  ["50 in a commit", { batch: 50, leavesOut: false }],
  ["50 in a commit, each for one of eight webhooks", { batch: 50, leavesOut: true }],
  ["50 in a commit, each of a template", { batch: 50, leavesOut: false, isMade: true }],
];

for (const [load, commits] of LOADS) {
  const where = `SQLite, ${load}`;
  test(`${where}: statements, rows, bytes of log and bytes to the store's thread stay within the budget`, async () => {
    using folder = newFolder();
    const path = join(folder.path, "budget.db");
    using file = openDatabaseFile({ path, nowMs: T0 });
    await commitCalls(file.db, setUpCalls<AttemptColumns>(commits));
    // The first ones make pages and counters that the others find there.
    await runWebhooks(file.db, { first: 1, count: WEBHOOKS, ...commits });
    holdBudget(where, await countCosts(file.db, { path, ...commits }));
  });
}

interface Counted extends Commits {
  readonly path: string;
}

async function countCosts(db: Connection, { path, ...commits }: Counted): Promise<Costs> {
  let statements = 0;
  const counted = new Proxy(db, {
    get(target, key: keyof Connection) {
      const member = target[key];
      if (["run", "get", "all", "each"].includes(key)) statements += 1;
      return typeof member === "function" ? member.bind(target) : member;
    },
    set: (target, key, value) => Reflect.set(target, key, value),
  });
  const logBytes = (): number => statSync(`${path}-wal`).size;
  const rows = (): number => db.get<{ rows: number }>("select total_changes() as rows")?.rows ?? 0;
  const before = { rows: rows(), logBytes: logBytes() };
  const crossing = await runWebhooks(counted, { first: WEBHOOKS + 1, count: WEBHOOKS, ...commits });
  return {
    statements: statements / WEBHOOKS,
    "rows written": (rows() - before.rows) / WEBHOOKS,
    "bytes of log": (logBytes() - before.logBytes) / WEBHOOKS,
    "bytes that cross": crossing / WEBHOOKS,
  };
}

interface Run extends Webhooks {
  /** Webhooks in a commit. */
  readonly batch: number;
  /** Each waits for a claim, which brings it alone. */
  readonly oneAtATime?: boolean;
}

/** Answers the bytes that cross between the threads, there and back. */
async function runWebhooks(
  db: Connection,
  { first, count, batch, leavesOut = false, isMade = false, oneAtATime = false }: Run,
): Promise<number> {
  let bytes = 0;
  const commit = async (calls: readonly Call<AttemptColumns>[]): Promise<void> => {
    const answers = await commitCalls(db, calls);
    bytes += serialize(calls).length + serialize(answers).length;
    const failed = answers.find(({ kind }) => kind !== "done");
    if (failed !== undefined) throw new Error("a call failed", { cause: failed });
  };
  for (let n = first; n < first + count; n += batch) {
    const webhooks = { first: n, count: batch, leavesOut, isMade, waits: oneAtATime };
    await commit(acceptCalls(webhooks, CONFIG_VERSION));
    if (oneAtATime) await commit([claimCall()]);
    await commit(settleCalls(webhooks, packAttempt));
  }
  return bytes;
}
