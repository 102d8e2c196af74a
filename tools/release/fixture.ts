/**
 * `npm run release-fixture`: keeps an installation of this version on both stores, with something of everything in it,
 * and what it answers. Tests of all later versions open it. A released one never changes, so one that is there is
 * refused; `--anew` replaces it before its release. `--answers` writes anew what the code of today reads out of every
 * kept database: where it answers with more than before, the difference is to be looked at.
 */
import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fillInstallation } from "../../src/store/conformance/installation.ts";
import { createHistory } from "../../src/store/postgres/schema/migrate.ts";
import { MIGRATIONS } from "../../src/store/postgres/schema/migrations.ts";
import { newFolder } from "../../test/kit/folder.ts";
import { type SharedCluster, shareCluster } from "../../test/kit/servers/postgres.ts";
import {
  askInstallation,
  folderOf,
  keep,
  listReleases,
  openDatabase,
  openFile,
  restoreDatabase,
  restoreFile,
} from "../../test/kit/world/releases.ts";

const { version } = JSON.parse(readFileSync(join(import.meta.dirname, "../../package.json"), "utf8")) as {
  version: string;
};
/** Those of days are empty: what the installation has lies in no day. */
const LIST_TABLES = `
  select relname as "table", string_agg(quote_ident(attname), ', ' order by attnum) as columns,
    string_agg(format('quote_nullable(%I::text)', attname), ', ' order by attnum) as "values"
  from pg_class
  join pg_attribute on attrelid = pg_class.oid and attnum > 0 and not attisdropped and attgenerated = ''
  where relnamespace = 'bellwire'::regnamespace and relkind in ('r', 'p') and not relispartition
  group by relname
  order by relname`;

const LIST_SEQUENCES = `
  select format('select setval(%L, %s)', sequencename, last_value) as line
  from pg_sequences
  where schemaname = 'bellwire' and last_value is not null
  order by sequencename`;

using folder = newFolder();
await using cluster = await shareCluster();

const wantsAnswers = process.argv.includes("--answers");
if (!wantsAnswers) await keepDatabases();
for (const release of wantsAnswers ? listReleases() : [version]) await keepAnswers(release);

async function keepDatabases(): Promise<void> {
  if (existsSync(folderOf(version)) && !process.argv.includes("--anew")) {
    throw new Error(`the database of ${version} is kept already, and a released one never changes`);
  }
  mkdirSync(folderOf(version), { recursive: true });
  const path = join(folder.path, "new.db");
  await fillAndClose(openFile(path));
  keep(version, "sqlite.db.gz", readFileSync(path));
  const url = await cluster.createDatabase();
  await fillAndClose(openDatabase(url));
  keep(version, "postgres.sql.gz", await dump(url, cluster));
}

async function fillAndClose(opening: ReturnType<typeof openFile>): Promise<void> {
  await using store = await opening;
  await fillInstallation(store);
}

async function keepAnswers(release: string): Promise<void> {
  await using sqlite = await openFile(restoreFile(release, folder.path));
  await using postgres = await openDatabase(await restoreDatabase(release, cluster));
  const answers = await askInstallation(sqlite);
  assert.deepEqual(await askInstallation(postgres), answers, "the two stores answer differently");
  writeFileSync(join(folderOf(release), "expected.json"), `${JSON.stringify(answers, null, 1)}\n`);
  console.log(`${release}: kept in ${folderOf(release)}`);
}

type Table = Readonly<Record<"table" | "columns" | "values", string>>;

/** The steps of the schema, then its rows. The npm package of PostgreSQL has no `pg_dump`. */
async function dump(url: string, { query }: SharedCluster): Promise<string> {
  const lines = ["begin", createHistory("bellwire"), "set local search_path = bellwire"];
  lines.push(...MIGRATIONS.map(({ sql }) => sql.trimEnd().replace(/;$/, "")));
  for (const { table, columns, values } of (await query(url, LIST_TABLES)) as unknown as Table[]) {
    const rows = await query(url, `select concat_ws(', ', ${values}) as row from bellwire.${table} order by 1`);
    const insert = `insert into ${table} (${columns}) overriding system value values`;
    // What a step itself has put in is among the rows.
    lines.push(`delete from ${table}`, ...rows.map(({ row }) => `${insert} (${String(row)})`));
  }
  lines.push(...(await query(url, LIST_SEQUENCES)).map(({ line }) => String(line)), "commit");
  return `${lines.join(";\n")};\n`;
}
