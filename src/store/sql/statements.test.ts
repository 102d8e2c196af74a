/** Rules for every statement of the store. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, test } from "node:test";
import {
  changesTwice,
  findUnknownTables,
  listNamed,
  readTables,
} from "../../../test/kit/statements/statement-faults.ts";
import { readSchema } from "../../../test/kit/statements/read-schema.ts";
import { readStatements } from "../../../test/kit/statements/read-statements.ts";

const TABLES = readTables(readSchema());
const STATEMENTS = readStatements(join(import.meta.dirname, "../../.."));

/** Tables that have rows in the home shard alone. */
const HOME = new Set(["inbox", "refused_records", "settings", "event_types", "probes", "shards", "accounts_at"]);

const listAll = (isFaulty: (text: string) => boolean): string[] =>
  STATEMENTS.filter(({ text }) => isFaulty(text)).map(({ path, name }) => `${path}: ${name}`);

test("every statement of the store is read, and names only tables that the schema has", () => {
  assert.ok(STATEMENTS.length > 280, `${STATEMENTS.length} statements`);
  for (const table of ["deliveries_pending", "events_default", ...HOME]) assert.ok(TABLES.has(table), table);
  const unknown = STATEMENTS.filter(({ path }) => !path.endsWith("/migrate.ts")).flatMap(({ path, name, text }) =>
    // Made by `migrate.ts` itself, before the first step.
    findUnknownTables(text, new Set([...TABLES, "schema_migrations"])).map((table) => `${path}: ${name}: ${table}`),
  );
  assert.deepEqual(unknown, []);
});

const namesSchema = (text: string): boolean => /\bbellwire\./.test(text);

test("no statement names a schema: a shard may stand in any", () => {
  assert.deepEqual(listAll(namesSchema), []);
});

test("each statement about what a shard has changes one thing at a time", () => {
  const isOfHome = (text: string): boolean => listNamed(text).every((table) => HOME.has(table) || !TABLES.has(table));
  assert.deepEqual(
    listAll((text) => changesTwice(text) && !isOfHome(text)),
    [],
  );
});

const isMixed = (text: string): boolean => {
  const named = new Set(listNamed(text).filter((table) => TABLES.has(table)));
  return named.isDisjointFrom(HOME) ? false : !named.isSubsetOf(HOME);
};

/** Statements that may, with the reason. */
const MIXED: Readonly<Record<string, string>> = {
  "find anything of an installation": "asks whether a schema is used at all",
  "place account": "counts the accounts at home, which have no row in the directory",
};

test("no statement reads what home alone has beside what every shard has", () => {
  const mixed = STATEMENTS.filter(({ text }) => isMixed(text)).map(({ name }) => name);
  assert.deepEqual(mixed.toSorted(), Object.keys(MIXED).toSorted());
});

describe("a planted statement is caught", () => {
  const PLANTED: readonly (readonly [sql: string, isFaulty: (text: string) => boolean, is: boolean])[] = [
    ["select 1 from alerts where name = 'from nowhere'", isUnknown, false],
    ["select 1 from alert", isUnknown, true],
    ["with old as (select id from replays) delete from replays where id in (select id from old)", isUnknown, false],
    ["insert into alertz (id) values ($1) on conflict (id) do update set id = $1", isUnknown, true],
    ["with old as (select id from replays) delete from replays where id in (select id from old)", changesTwice, false],
    [
      `with gone as (delete from replay_items where replay_id = $1 returning delivery_id)
       update deliveries set due_at = $2 where id in (select delivery_id from gone)`,
      changesTwice,
      true,
    ],
    ["select 1 from destinations d join settings s on s.name = d.id for update", isMixed, true],
    ["select 1 from shards s join accounts_at a on a.shard = s.name", isMixed, false],
    ["select 1 from pg_inherits where inhparent = 'bellwire.deliveries'::regclass", namesSchema, true],
  ];

  for (const [sql, isFaulty, is] of PLANTED) {
    test(sql.replaceAll(/\s+/g, " "), () => assert.equal(isFaulty(sql), is));
  }
});

function isUnknown(sql: string): boolean {
  return findUnknownTables(sql, TABLES).length > 0;
}
