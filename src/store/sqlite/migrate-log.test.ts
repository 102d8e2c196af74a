import assert from "node:assert/strict";
import { test } from "node:test";
import { openConnection } from "./connection.ts";
import { loadDestinations } from "./destination-reports.ts";
import { listDeliveries } from "./list-deliveries.ts";
import { listEvents } from "./list-events.ts";
import { migrate } from "./migrate.ts";
import { MIGRATIONS } from "./migrations.ts";
import { commit } from "./commit.ts";

const before = MIGRATIONS.filter(({ version }) => version < 4);

/** A database from before the log: a session that failed twice, a conversation that waits, and a test. */
const WITHOUT_LOG = `
  pragma application_id = 1113943148;
  ${before.map(({ sql }) => sql).join("\n")}
  create table schema_migrations (
    version integer primary key, name text not null, applied_at integer not null
  ) strict;
  ${before.map(({ version }) => `insert into schema_migrations values (${version}, '', 0);`).join("\n")}
  insert into accounts (id, name, plan, app_url, config_version, created_at, updated_at)
  values ('acc_1', '', 'free', '', 1, 1, 1);
  insert into destinations (id, account_id, state, url, headers, created_at, updated_at, owner_kind, owner_id)
  values ('dst_1', 'acc_1', 'on', '', '[]', 1, 1, 'alert', 'alr_1'),
    ('dst_2', 'acc_1', 'on', '', '[]', 1, 1, 'assistant', 'bot');
  insert into events (seq, id, account_id, type, accepted_at, body)
  values (1, 'evt_1', 'acc_1', 'demo_viewed', 2, '{}'), (2, 'evt_2', 'acc_1', 'chat_conversation_completed', 3, '{}'),
    (3, 'evt_3', 'acc_1', 'demo_viewed', 4, '{}');
  insert into event_keys (account_id, type, source_id, event_id, deliveries)
  values ('acc_1', 'demo_viewed', x'00000000000040008000000000000001', 'evt_1', 1),
    ('acc_1', 'chat_conversation_completed', x'00000000000040008000000000000002', 'evt_2', 1);
  insert into deliveries
    (id, event_seq, account_id, destination_id, is_test, state, due_at, attempts_made, created_at, settled_at)
  values ('dlv_1', 1, 'acc_1', 'dst_1', 0, 'failed', null, 2, 2, 9),
    ('dlv_2', 2, 'acc_1', 'dst_2', 0, 'pending', 9, 0, 3, null),
    ('dlv_3', 3, 'acc_1', 'dst_1', 1, 'delivered', null, 1, 4, 4);
  insert into attempts (delivery_id, number, started_at, outcome, response_status, total_ms, url, request_headers)
  values ('dlv_1', 1, 2, 'response', 503, 5, '', '{}'), ('dlv_1', 2, 3, 'timeout', null, 15000, '', '{}'),
    ('dlv_3', 1, 4, 'response', 200, 7, '', '{}');
`;

test("a database from before the log shows what it holds, with the last answer of each delivery", () => {
  const db = openConnection(":memory:");
  db.exec(WITHOUT_LOG);
  migrate(db, { place: "here", nowMs: 10 });
  const accountId = "acc_1";
  const list = { accountId, before: null, limit: 9 } as const;
  const [log, refused, sessions, conversations, reports] = commit(db, (tx) => [
    listDeliveries(tx, { ...list, withTests: true }),
    listDeliveries(tx, { ...list, withTests: false, response: "none" }),
    listEvents(tx, { ...list, type: "demo_viewed" }),
    listEvents(tx, { ...list, type: "chat_conversation_completed" }),
    loadDestinations(tx, { accountId, withDeleted: false, nowMs: 10, waitingMax: 9 }),
  ]);
  db.close();
  assert.deepEqual(
    log.deliveries.map(({ id, last }) => [id, last]),
    [
      ["dlv_3", { outcome: "response", status: 200, totalMs: 7 }],
      ["dlv_2", null],
      ["dlv_1", { outcome: "timeout", status: null, totalMs: 15_000 }],
    ],
  );
  assert.deepEqual(
    refused.deliveries.map(({ id }) => id),
    ["dlv_1"],
  );
  const sources = (events: typeof sessions) => events.map(({ sourceId, assistantId }) => [sourceId, assistantId]);
  assert.deepEqual(sources(sessions), [["00000000-0000-4000-8000-000000000001", null]], "a test is no session");
  assert.deepEqual(sources(conversations), [["00000000-0000-4000-8000-000000000002", null]]);
  assert.deepEqual(
    reports.map(({ id, hasAttempts, waiting }) => [id, hasAttempts, waiting.count]),
    [
      ["dst_1", true, 0],
      ["dst_2", false, 1],
    ],
  );
});

test("the step to the log finds an event's key by its id, whatever there is of either", () => {
  const db = openConnection(":memory:");
  db.exec(WITHOUT_LOG);
  db.exec("alter table events add column source_id blob");
  const update = /update events\s+set source_id[^;]*;/.exec(MIGRATIONS[3]?.sql ?? "")?.[0] ?? assert.fail();
  const plan = db.all<{ detail: string }>(`explain query plan ${update}`).map(({ detail }) => detail);
  db.close();
  assert.ok(
    plan.some((detail) => /^SEARCH (events|event_keys) USING /.test(detail)),
    plan.join("; "),
  );
});
