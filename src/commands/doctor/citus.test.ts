import assert from "node:assert/strict";
import { test } from "node:test";
import { describeCitus } from "./citus.ts";

const WORKERS = [
  { name: "db-1:5432", isReached: true, shards: 16 },
  { name: "db-2:5432", isReached: true, shards: 16 },
];
const CITUS = { version: "13.2-1", workers: WORKERS, tablesLeft: [], slotsLeft: [] };

test("says nothing about a database without Citus", () => {
  assert.deepEqual(describeCitus(null), []);
});

test("says how many shards are on which worker", () => {
  const [spread, ...others] = describeCitus(CITUS);
  assert.equal(spread?.level, "fine");
  assert.equal(spread.text, "Accounts lie in 32 shards on 2 workers (Citus 13.2-1).");
  assert.deepEqual(spread.details, ["db-1:5432 has 16 shards", "db-2:5432 has 16 shards"]);
  assert.deepEqual(others, []);
});

test("names a worker that is away, and what that means", () => {
  const workers = WORKERS.map((worker) => ({ ...worker, isReached: worker.name !== "db-2:5432" }));
  const [, away] = describeCitus({ ...CITUS, workers });
  assert.equal(away?.level, "warning");
  assert.match(away.text, /^The worker db-2:5432 cannot be reached: the accounts of its 16 shards are refused \(503\)/);
});

test("says what is left to distribute", () => {
  const [, left] = describeCitus({ ...CITUS, tablesLeft: ["deliveries", "destinations"] });
  assert.equal(left?.text, "2 tables are not distributed yet: deliveries, destinations.");
  const [none] = describeCitus({ ...CITUS, workers: WORKERS.map((worker) => ({ ...worker, shards: 0 })) });
  assert.equal(none?.text, "The database has Citus 13.2-1 and is not distributed.");
});

test("names a slot for which a server keeps its log, also before anything is distributed", () => {
  const slotsLeft = [{ server: "db-2:5432", slot: "citus_shard_move_slot_3_10_1", bytes: 5 * 2 ** 20 - 1 }];
  const [, kept] = describeCitus({ ...CITUS, slotsLeft });
  assert.equal(kept?.level, "warning");
  assert.match(kept.text, /^db-2:5432 keeps 5 MB of its log .*: slot citus_shard_move_slot_3_10_1\.$/);
  assert.match(kept.details.join(), /on db-2:5432: select pg_drop_replication_slot\('citus_shard_move_slot_3_10_1'\)$/);
  const workers = WORKERS.map((worker) => ({ ...worker, shards: 0 }));
  assert.equal(describeCitus({ ...CITUS, workers, slotsLeft }).length, 2);
});
