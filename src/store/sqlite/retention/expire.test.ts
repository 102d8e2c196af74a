import assert from "node:assert/strict";
import { test } from "node:test";
import { openMemory } from "../writer/database-file.ts";
import { cancelDeliveries, writeExpired } from "../path/pending-rows.ts";
import { changeDestination, destinationNow, findDestination, shortenQueue } from "../path/destinations.ts";
import { expireWaiting, LIST_SHUT } from "../../sql/retention/expire.ts";
import { commit, commitAtOnce } from "../commit.ts";

/** A paused destination whose bound says that something is due, although nothing waits. */
const EMPTY_QUEUE = `
  insert into destinations
    (id, account_id, state, next_due_at, owner_kind, owner_id, url, headers, created_at, updated_at)
  values ('dst_1', 'acc_1', 'paused', 5, 'alert', 'alr_1', 'https://receiver.example/', '[]', 1, 1);
`;

test("a destination in which nothing is left to cancel is visited once, not in every step", async () => {
  using file = openMemory({ nowMs: 0 });
  file.db.exec(EMPTY_QUEUE);
  assert.equal(file.db.all(LIST_SHUT, 9, 9).length, 1);
  const params = { nowMs: 9, dueBeforeMs: 9, rowsMax: 9 };
  const changes = { lockDestination: findDestination, changeDestination };
  const steps = { ...changes, cancelDeliveries, shortenQueue, writeExpired };
  assert.deepEqual(await commit(file.db, (tx) => expireWaiting(tx, params, steps)), {
    expired: 0,
  });
  assert.deepEqual(file.db.all(LIST_SHUT, 9, 9), []);
  assert.equal(commitAtOnce(file.db, (tx) => destinationNow(tx, "dst_1")).nextDueAtMs, Infinity);
});
