/** Rules for every statement of the store, so that its tables can be spread over several servers. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, test } from "node:test";
import { findBucketFaults, findUnknownTables, readTables } from "../../../test/kit/statements/bucket-faults.ts";
import { readSchema } from "../../../test/kit/statements/read-schema.ts";
import { readStatements } from "../../../test/kit/statements/read-statements.ts";
import { listAlong, stepAlong } from "../postgres/log/delivery-lists.ts";

const PARTS_OF_LISTS = [
  { days: true, undated: true, pending: true },
  { days: true, undated: false, pending: false },
  { days: false, undated: false, pending: true },
];

const ROOT = join(import.meta.dirname, "../../..");
const SCHEMA = readSchema();
const TABLES = readTables(SCHEMA);
const STATEMENTS = readStatements(ROOT);

/** Statements that look into every bucket, each with the reason why it may. */
const EVERYWHERE: Readonly<Record<string, string>> = {
  "find anything pending of day": "a day is dropped in all groups at once, so none may have anything pending there",
  "add true to true": "runs with one group only: it empties the table under a lock (see attempt-deltas.ts)",
  "load state of path on one server": "runs with one group only: the lease beside destinations saves a statement",
};

test("the tables of accounts and those of the installation are told apart by their schema", () => {
  for (const table of ["accounts", "deliveries", "deliveries_pending", "events_default", "sessions", "mail_links"]) {
    assert.ok(TABLES.ofAccounts.has(table), table);
  }
  for (const table of ["inbox", "leases", "settings", "operator_conditions", "confirmation_requests"]) {
    assert.ok(TABLES.local.has(table), table);
  }
  assert.equal(TABLES.ofAccounts.size + TABLES.local.size - 1, Array.from(SCHEMA.matchAll(/^create table /gm)).length);
});

test("every statement of the store is read, and names only tables that the schema has", () => {
  assert.ok(STATEMENTS.length > 290, `${STATEMENTS.length} statements`);
  const unknown = STATEMENTS.filter(({ path }) => !path.endsWith("/migrate.ts")).flatMap(({ path, name, text }) =>
    // Made by `migrate.ts` itself, before the first step.
    findUnknownTables(text, { ...TABLES, local: new Set([...TABLES.local, "schema_migrations"]) }).map(
      (table) => `${path}: ${name}: ${table}`,
    ),
  );
  assert.deepEqual(unknown, []);
});

test("each statement says in which buckets it looks and writes, and changes one thing at a time", () => {
  const faults = STATEMENTS.filter(({ name }) => EVERYWHERE[name] === undefined).flatMap(({ path, name, text }) =>
    findBucketFaults(text, TABLES).map((fault) => `${path}: ${name}: ${fault}`),
  );
  assert.deepEqual(faults, []);
});

test("a list of the log says it too, whichever parts a function puts it together of", () => {
  for (const index of ["all", "unsent", "retrying", "refused", "queue", "backlog"] as const) {
    for (const parts of PARTS_OF_LISTS) {
      for (const list of [listAlong(index, parts), stepAlong(index, parts)]) {
        assert.deepEqual(findBucketFaults(list.replace(/^.*\n/, ""), TABLES), [], list);
      }
    }
  }
});

test("a statement that may look everywhere is still there, and still does", () => {
  for (const exempted of Object.keys(EVERYWHERE)) {
    const found = STATEMENTS.find(({ name }) => name === exempted);
    assert.ok(found !== undefined && findBucketFaults(found.text, TABLES).length > 0, exempted);
  }
});

describe("a planted statement is caught", () => {
  const PLANTED: readonly (readonly [sql: string, fault: RegExp | null])[] = [
    ["select id from alerts where account_id = $1 and bucket = any ($buckets)", null],
    ["select id from alerts where account_id = $1", /asks alerts in every bucket/],
    ["select value from settings where name = $1", null],
    ["update destinations set url = $1 where id = $2", /asks destinations in every bucket/],
    ["delete from sessions where token_hash = $1", /asks sessions in every bucket/],
    [
      "select 1 from deliveries d join events e on e.id = d.event_id where d.id = $1 and d.bucket = any ($buckets)",
      /asks events e in every bucket/,
    ],
    [
      `select 1 from deliveries d join events e on e.id = d.event_id and e.bucket = d.bucket
       where d.id = $1 and d.bucket = any ($buckets)`,
      null,
    ],
    [
      "select 1 from deliveries d join events e on e.id = d.event_id and e.bucket = d.bucket where d.id = $1",
      /asks deliveries d in every bucket; asks events e in every bucket/,
    ],
    [
      `update events e set body = '' from deliveries d
       where d.event_id = e.id and e.bucket = any ($buckets) and d.bucket = e.bucket`,
      /asks deliveries d in every bucket/,
    ],
    [
      `select 1 from alerts a where a.id = $1 and a.bucket = any ($buckets)
       and not exists (select 1 from destinations d where d.id = a.destination_id)`,
      /asks destinations d in every bucket/,
    ],
    [
      "select 1 from alerts where id = $1 and bucket = $bucket union all select 1 from replays where id = $1",
      /asks replays in every bucket/,
    ],
    [
      `with old as materialized (select id from replays where ended_at < $1 for update skip locked)
       delete from replays where id in (select id from old) and bucket = any ($buckets)`,
      /asks replays in every bucket/,
    ],
    ["select id from replays where id = $1 for no key update", /asks replays in every bucket/],
    ["select id from alerts where name = 'bucket = $bucket'", /asks alerts in every bucket/],
    ["insert into alerts (account_id, id) values ($1, $2)", /inserts into alerts without a bucket/],
    [
      "insert into alerts (bucket, account_id, id) values ($bucket, $1, $2) on conflict (account_id, id) do nothing",
      /finds conflicts of alerts in every bucket/,
    ],
    [
      `insert into alerts (bucket, account_id, id)
       values ($bucket, $1, (select id from replays where id = $2 and bucket = $bucket))`,
      /selects among the values/,
    ],
    [
      `with gone as (delete from replay_items where replay_id = $1 and bucket = any ($buckets) returning delivery_id)
       update deliveries set due_at = $2 where id in (select delivery_id from gone) and bucket = any ($buckets)`,
      /changes two things at once/,
    ],
    [
      `select 1 from destinations d join leases l on l.id = d.lease_id
       where d.id = $1 and d.bucket = any ($buckets) for update`,
      /joins a table of accounts to one of the installation/,
    ],
  ];

  for (const [sql, fault] of PLANTED) {
    test(sql.replaceAll(/\s+/g, " "), () => {
      const faults = findBucketFaults(sql, TABLES).join("; ");
      if (fault === null) assert.equal(faults, "");
      else assert.match(faults, fault);
    });
  }
});
