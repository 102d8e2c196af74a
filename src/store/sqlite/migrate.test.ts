import assert from "node:assert/strict";
import { test } from "node:test";
import { openConnection } from "./connection.ts";
import { migrate } from "./migrate.ts";
import { MIGRATIONS } from "./migrations.ts";
import { loadDelivery } from "./deliveries.ts";
import { destinationNow } from "./destination-now.ts";
import { commit } from "./commit.ts";

/** A database as the first release left it, with one delivery that has failed once and waits. */
const FIRST_RELEASE = `
  pragma application_id = 1113943148;
  ${MIGRATIONS[0]?.sql ?? ""}
  create table schema_migrations (
    version integer primary key, name text not null, applied_at integer not null
  ) strict;
  insert into schema_migrations (version, name, applied_at) values (1, 'foundation', 0);
  insert into destinations 
    (id, account_id, state, failing_since_at, next_due_at, turn_at, url, headers, created_at, updated_at)
  values ('dst_1', 'acc_1', 'on', 5, 9, 3, 'https://receiver.example/', '[{"name":"A"}]', 1, 1);
  insert into events (seq, id, account_id, type, accepted_at, body)
  values (1, 'evt_1', 'acc_1', 'demo_viewed', 2, '{}');
  insert into deliveries (id, event_seq, account_id, destination_id, state, due_at, attempts_made, created_at)
  values ('dlv_1', 1, 'acc_1', 'dst_1', 'pending', 9, 1, 2);
`;

test("a database of the first release keeps what it holds, with health and schedule as they were", () => {
  const db = openConnection(":memory:");
  db.exec(FIRST_RELEASE);
  migrate(db, { place: "here", nowMs: 10 });
  const [delivery, destination] = commit(db, (tx) => [
    loadDelivery(tx, { accountId: "acc_1", deliveryId: "dlv_1" }),
    destinationNow(tx, "dst_1"),
  ]);
  assert.deepEqual([delivery?.state, delivery?.attemptsMade, delivery?.attemptsInSchedule], ["pending", 1, 1]);
  assert.deepEqual(destination.health, { failingSinceMs: 5, strain: 0, trips: 0, notBeforeMs: 0 });
  assert.deepEqual([destination.state, destination.ratePerSecond, destination.nextDueAtMs], ["on", null, 9]);
  assert.deepEqual(
    { ...db.get<Record<string, unknown>>("select url, headers, wake_at, turn_at, created_at from destinations") },
    { url: "https://receiver.example/", headers: '[{"name":"A"}]', wake_at: 9, turn_at: 3, created_at: 1 },
  );
  db.close();
});

test("a database that is up to date is not touched", () => {
  const db = openConnection(":memory:");
  migrate(db, { place: "here", nowMs: 10 });
  const version = db.get("pragma schema_version");
  migrate(db, { place: "here", nowMs: 11 });
  assert.deepEqual(db.get("pragma schema_version"), version);
  db.close();
});
