/**
 * Databases that were made by the code of earlier schemas, and of this one, opened by today's code. They lie in
 * `golden/` as text; `npm run fixtures` makes those of a new schema.
 */
import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { after, before, describe, test } from "node:test";
import { type Cluster, startCluster } from "../../test/kit/servers/postgres.ts";
import { createVirtualClock } from "../../test/kit/world/virtual-clock.ts";
import { assertGoesOn, assertIsThere } from "./conformance/upgrading.ts";
import { T0 } from "./conformance/world.ts";
import type { Store } from "./contract/store.ts";
import { NEWEST_VERSION as POSTGRES_VERSION } from "./postgres/schema/migrations.ts";
import { openPostgresStore } from "./postgres/open.ts";
import { NEWEST_VERSION as SQLITE_VERSION } from "./sqlite/schema/migrations.ts";
import { openSqliteStore } from "./sqlite/open.ts";

const GOLDEN = join(import.meta.dirname, "golden");
const folder = mkdtempSync(join(tmpdir(), "bellwire-upgrades-"));
let cluster: Cluster;

before(async () => {
  cluster = await startCluster();
});
after(async () => {
  rmSync(folder, { recursive: true, force: true });
  await cluster[Symbol.asyncDispose]();
});

interface Kind {
  readonly newest: number;
  readonly inboxRecords: number;
  /** Makes an empty database, and runs the text in it where there is one. */
  make(text: string | null): Promise<string>;
  open(place: string): Promise<Store>;
  /** What its tables look like, whatever steps have made them: a line for each column, index and rule. */
  describeSchema(place: string): Promise<ReadonlySet<string>>;
}

let files = 0;

const KINDS: Readonly<Record<string, Kind>> = {
  sqlite: {
    newest: SQLITE_VERSION,
    inboxRecords: 0,
    make(text) {
      files += 1;
      const path = join(folder, `${files}.db`);
      using database = new DatabaseSync(path);
      database.exec(text ?? "");
      return Promise.resolve(path);
    },
    open: (path) => openSqliteStore({ path, clock: createVirtualClock(T0) }),
    describeSchema(path) {
      using database = new DatabaseSync(path, { readOnly: true });
      return Promise.resolve(toLines(database.prepare(SQLITE_SCHEMA).all()));
    },
  },
  postgres: {
    newest: POSTGRES_VERSION,
    inboxRecords: 1,
    async make(text) {
      const url = await cluster.createDatabase();
      if (text !== null) await cluster.query(url, text);
      return url;
    },
    open: async (url) => (await openPostgresStore({ url, clock: createVirtualClock(T0) })).store,
    describeSchema: async (url) => toLines(await cluster.query(url, POSTGRES_SCHEMA)),
  },
};

const toLines = (rows: readonly object[]) => new Set(rows.map((row) => Object.values(row).join(" | ")));

const SQLITE_SCHEMA = `
  select t.name as entry, c.name, c.type, c."notnull", c.dflt_value
  from sqlite_schema t cross join pragma_table_xinfo(t.name) c
  where t.type in ('table', 'view')
  union all
  select tbl_name, name, sql, '', ''
  from sqlite_schema
  where type <> 'table' and sql is not null`;

const POSTGRES_SCHEMA = `
  with ours as (
    select oid, relname::text as name
    from pg_class
    where relnamespace = 'bellwire'::regnamespace and relkind in ('r', 'p', 'v') and relname !~ '_[0-9]{8}$'
  )
  select o.name, a.attname::text as part, format_type(a.atttypid, a.atttypmod) as type,
    concat(a.attnotnull, a.attidentity, a.attgenerated) as rules, pg_get_expr(d.adbin, d.adrelid) as value
  from ours o
  join pg_attribute a on a.attrelid = o.oid and a.attnum > 0 and not a.attisdropped
  left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
  union all
  select o.name, i.indexrelid::regclass::text, pg_get_indexdef(i.indexrelid), '', ''
  from ours o join pg_index i on i.indrelid = o.oid
  union all
  select o.name, c.conname, pg_get_constraintdef(c.oid), '', ''
  from ours o join pg_constraint c on c.conrelid = o.oid
  union all
  select proname, '', prosrc, '', ''
  from pg_proc
  where pronamespace = 'bellwire'::regnamespace`;

for (const [name, { newest, inboxRecords, make, open, describeSchema }] of Object.entries(KINDS)) {
  describe(`a database of ${name}`, () => {
    const kept = readdirSync(GOLDEN).filter((file) => file.endsWith(`.${name}.sql`));

    test("of the newest schema is kept", () => {
      const file = `schema-${newest}.${name}.sql`;
      assert.ok(
        existsSync(join(GOLDEN, file)),
        `src/store/golden/${file} is missing. Make it with: npm run fixtures. It stays from then on as it is, ` +
          "so that every later Bellwire is tested with a database of this schema.",
      );
    });

    for (const file of kept) {
      const load = () => make(readFileSync(join(GOLDEN, file), "utf8"));

      test(`from ${file} has everything in it after the upgrade`, async () => {
        await using store = await open(await load());
        await assertIsThere(store);
      });

      test(`from ${file} goes on: repeats are known, and what was waiting or in hand is sent`, async () => {
        await using store = await open(await load());
        await assertGoesOn(store, { inboxRecords });
      });

      test(`from ${file} has the tables of a new one after the upgrade`, async () => {
        const [upgraded, fresh] = [await load(), await make(null)];
        for (const place of [upgraded, fresh]) await (await open(place))[Symbol.asyncDispose]();
        const [ours, wanted] = [await describeSchema(upgraded), await describeSchema(fresh)];
        assert.ok(wanted.size > 100);
        assert.deepEqual(
          [...ours].filter((line) => !wanted.has(line)),
          [],
          "only in the upgraded one",
        );
        assert.deepEqual(
          [...wanted].filter((line) => !ours.has(line)),
          [],
          "only in a new one",
        );
      });
    }
  });
}
