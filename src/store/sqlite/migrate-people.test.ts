import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { loadAccount } from "./accounts.ts";
import { type Connection, openConnection } from "./connection.ts";
import { destinationNow } from "./destination-now.ts";
import { listReplays } from "./list-replays.ts";
import { migrate } from "./migrate.ts";
import { MIGRATIONS } from "./migrations.ts";
import { openSession } from "./sessions.ts";
import { commit } from "./commit.ts";
import type { Transaction } from "./transaction.ts";

/**
 * A database of the second version: an alert and an assistant with a destination each, one of them off, one with a
 * backlog, both with long headers; an alert without one; a replay; a link that nobody has opened yet.
 */
const SECOND_VERSION = `
  pragma application_id = 1113943148;
  ${MIGRATIONS[0]?.sql ?? ""}
  ${MIGRATIONS[1]?.sql ?? ""}
  create table schema_migrations (
    version integer primary key, name text not null, applied_at integer not null
  ) strict;
  insert into schema_migrations (version, name, applied_at) values (1, 'foundation', 0), (2, 'health', 0);
  insert into accounts (id, name, plan, app_url, config_version, created_at, updated_at)
  values ('acc_1', 'Acme', 'starter', 'https://app.example', 7, 1, 1);
  insert into verification_secrets (account_id, role, sealed, created_at) values ('acc_1', 'current', 'sealed', 3);
  insert into alerts
    (account_id, id, name, audience, demos, intent_levels, webhooks_on, destination_id, revision, created_at,
    updated_at)
  values ('acc_1', 'alr_1', 'Sales', 'all', '[]', '[]', 1, 'dst_1', 4, 1, 9),
    ('acc_1', 'alr_2', 'Bare', 'all', '[]', '[]', 0, null, 1, 1, 1);
  insert into chat_assistants (account_id, id, name, destination_id, created_at, updated_at)
  values ('acc_1', 'bot', 'Ada', 'dst_2', 1, 1), ('acc_1', 'idle', 'Eve', null, 1, 1);
  insert into destinations
    (id, account_id, state, off_reason, failing_since_at, strain, trips, next_due_at, not_before_at, probe_token,
    turn_at, rate_per_second, url, headers, created_at, updated_at)
  values ('dst_1', 'acc_1', 'off', 'gone', 5, 8, 2, null, 50, 'probe', 6, null, 'https://one.example/', '[]', 2, 3),
    ('dst_2', 'acc_1', 'on', null, null, 1, 0, 40, 0, null, 0, 2.5, 'https://two.example/',
    '[{"name":"A","value":"' || printf('%.*c', 9000, 'x') || '","secret":false}]', 2, 3);
  insert into replays
    (id, account_id, filter, rate_per_second, state, deliveries, stepped_at, actor, state_actor, created_at)
  values ('rpl_1', 'acc_1', '{"states":["failed"]}', 5, 'paused', 3, 1, 'ana', 'eve', 1);
  insert into sign_in_links (token_hash, account_id, expires_at, created_at) values ('link', 'acc_1', 100, 1);
`;

function migrated(): Connection {
  const db = openConnection(":memory:");
  db.exec(SECOND_VERSION);
  migrate(db, { place: "here", nowMs: 60 });
  return db;
}

const inMigrated = <Value>(work: (tx: Transaction) => Value): Value => {
  const db = migrated();
  const value = commit(db, work);
  db.close();
  return value;
};

describe("a database of the second version keeps what it holds", () => {
  test("an account, its secret, alerts and assistants, with what nobody had kept yet left open", () => {
    const account = inMigrated((tx) => loadAccount(tx, { accountId: "acc_1" }));
    assert.deepEqual(account?.secrets, { current: { sealed: "sealed", createdAtMs: 3 }, next: null });
    assert.equal(account.configVersion, 7);
    assert.deepEqual(
      account.alerts.map(({ id, revision, changed, destination }) => [id, revision, changed, destination?.url]),
      [
        ["alr_1", 4, null, "https://one.example/"],
        ["alr_2", 1, null, undefined],
      ],
    );
    assert.deepEqual(
      account.assistants.map(({ id, revision, changed, destination }) => [id, revision, changed, destination?.id]),
      [
        ["bot", 1, null, "dst_2"],
        ["idle", 1, null, undefined],
      ],
    );
    assert.equal(account.assistants[0]?.destination?.headers[0]?.value.length, 9_000);
  });

  test("destinations with their health and their queue, and whose they are", () => {
    const db = migrated();
    const [one, two] = commit(db, (tx) => [destinationNow(tx, "dst_1"), destinationNow(tx, "dst_2")]);
    const untold = { isTold: false, toldAtMs: null, lastFailure: null, isDeleted: false, accountId: "acc_1" };
    assert.deepEqual(one, {
      ...untold,
      state: "off",
      offReason: "gone",
      health: { failingSinceMs: 5, strain: 8, trips: 2, notBeforeMs: 50 },
      probeToken: "probe",
      ratePerSecond: null,
      nextDueAtMs: Infinity,
    });
    assert.deepEqual([two.state, two.ratePerSecond, two.nextDueAtMs, two.health.strain], ["on", 2.5, 40, 1]);
    const owners = db.all<Record<string, unknown>>(
      "select owner_kind, owner_id, turn_at, created_at, updated_at from destinations order by id",
    );
    assert.deepEqual(
      owners.map((row) => ({ ...row })),
      [
        { owner_kind: "alert", owner_id: "alr_1", turn_at: 6, created_at: 2, updated_at: 3 },
        { owner_kind: "assistant", owner_id: "bot", turn_at: 0, created_at: 2, updated_at: 3 },
      ],
    );
    db.close();
  });

  test("replays, which nobody had prepared", () => {
    const [replay] = inMigrated((tx) => listReplays(tx, { accountId: "acc_1" }));
    assert.deepEqual([replay?.id, replay?.state, replay?.isPrepared, replay?.actor], ["rpl_1", "paused", false, "ana"]);
  });

  test("a link, which signs in the owner as it was meant to", () => {
    const opening = { sessionHash: "session", sessionId: "ses_1", replacedHash: null };
    const params = { tokenHash: "link", ...opening, expiresAtMs: 999, nowMs: 61 };
    const session = { id: "ses_1", accountId: "acc_1", person: "Account owner", role: "owner", expiresAtMs: 999 };
    assert.deepEqual(
      inMigrated((tx) => openSession(tx, params)),
      { kind: "opened", session, ended: [] },
    );
  });
});

test("what the event's path reads of a destination stands before its URL and its headers", () => {
  const db = migrated();
  const columns = db.all<{ name: string }>("select name from pragma_table_xinfo('destinations')");
  const place = (name: string): number => columns.findIndex((column) => column.name === name);
  db.close();
  for (const name of ["state", "next_due_at", "rate_per_second", "last_failure_status", "is_told", "deleted_at"]) {
    assert.ok(place(name) >= 0 && place(name) < place("url"), name);
  }
});
