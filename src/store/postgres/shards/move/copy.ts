/**
 * Makes what one shard has of an account's history equal to what another has: both compute a hash of each chunk, and
 * of chunks that differ each row's. Only rows that differ travel, through this process, as text that nobody reads on
 * the way. So the first copy, going on after a crash, catching up with traffic, and the comparison at the end are one
 * thing.
 *
 * Under the fence no chunk is read whose rows are those that a round found alike just before: which versions of rows
 * there are (`xmin` and `ctid`) says so, without a look at what they hold.
 */
import type { Connection } from "../../connection/connection.ts";
import { type Catalogue, type Column, type Columns, columnsOf } from "./catalogue.ts";
import { HISTORY, type HistoryTable, type Owner } from "./tables.ts";

/** The ids that lead to rows without `account_id`. */
export type Owners = Readonly<Record<Owner, readonly string[]>>;

/**
 * Chunks that a round has found alike, by table and chunk, with the versions that their rows had then on either side:
 * where both are still the same, so is what they hold. Begins empty.
 */
export type Alike = Map<string, { readonly there: string; readonly here: string }>;

/** Who may be asked. */
export type Reader = Pick<Connection, "all" | "get">;

export interface Copying {
  readonly accountId: string;
  readonly owners: Owners;
  readonly catalogue: Catalogue;
  readonly alike: Alike;
  readonly from: Reader;
  /** Where the copy is: also for reading alone. */
  readonly to: Reader;
  /** A transaction there, or a part of one. */
  write(work: (db: Connection) => Promise<void>): Promise<void>;
  /** Events and entries of logs that are younger are left for later, so that all are numbered in their order. */
  readonly beforeMs: number | null;
  /** Nothing changes meanwhile, and everybody waits. */
  readonly isUnderFence: boolean;
  /** After each batch: how many rows were written or deleted. Throws to stop. */
  onRows(table: string, rows: number): void;
}

/** Rows that are compared at once. */
const GROUP_ROWS = 20_000;
/** Of a batch that travels. Others commit between two of them, but under the fence, where each only takes time. */
const BATCH = { rowsMax: 500, bytesMax: 1_000_000 };
const BATCH_UNDER_FENCE = { rowsMax: 5_000, bytesMax: 8_000_000 };

/** Returns how many rows were written or deleted. */
export async function copyHistory(copying: Copying): Promise<number> {
  let changed = 0;
  for (const table of HISTORY) changed += await copyTable(copying, table);
  return changed;
}

async function copyTable(copying: Copying, table: HistoryTable): Promise<number> {
  const columns = columnsOf(copying.catalogue, table.name);
  const sql = toStatements(table, columns);
  const values = [copying.accountId, table.owner === null ? [] : copying.owners[table.owner]] as const;
  const younger = table.instant === undefined ? null : copying.beforeMs;
  const look = copying.isUnderFence ? sql.lookAtChunks : sql.hashChunks;
  const [there, here] = await Promise.all([
    copying.from.all<Chunk>(look, ...values, younger),
    copying.to.all<Chunk>(look, ...values, younger),
  ]);
  const different = findDifferent(copying, { table: table.name, there, here });
  const [first] = different;
  if (first === undefined) return 0;
  const of = { ...copying, table, columns, sql, values, younger };
  if (table.by === "append") return await appendFrom(of, first.chunk);
  let changed = 0;
  for (const group of toGroups(different)) changed += await copyGroup(of, group);
  return changed;
}

interface Chunk {
  readonly chunk: string;
  readonly rows: number;
  /** Of its rows' versions. */
  readonly versions: string;
  /** Of what its rows hold; `null`: only versions were looked at. */
  readonly hash: string | null;
}

interface Compared {
  readonly table: string;
  readonly there: readonly Chunk[];
  readonly here: readonly Chunk[];
}

/** In their order. */
function findDifferent({ alike }: Pick<Copying, "alike">, { table, there, here }: Compared) {
  const known = new Map(here.map((chunk) => [chunk.chunk, chunk]));
  const different: Pick<Chunk, "chunk" | "rows">[] = [];
  for (const one of there) {
    const other = known.get(one.chunk);
    known.delete(one.chunk);
    if (other !== undefined && isAlike(alike, `${table} ${one.chunk}`, [one, other])) continue;
    different.push({ chunk: one.chunk, rows: Math.max(one.rows, other?.rows ?? 0) });
  }
  different.push(...known.values());
  return different.toSorted((a, b) => (a.chunk < b.chunk ? -1 : 1));
}

/** Where they were read, it is noted. */
function isAlike(alike: Alike, key: string, [one, other]: readonly [Chunk, Chunk]): boolean {
  const before = alike.get(key);
  if (one.hash === null) return before?.there === one.versions && before.here === other.versions;
  const are = one.hash === other.hash && one.rows === other.rows;
  if (are) alike.set(key, { there: one.versions, here: other.versions });
  return are;
}

interface Group {
  /** In their order. */
  readonly chunks: readonly string[];
}

/** Neighbours are looked at together. */
function toGroups(chunks: readonly Pick<Chunk, "chunk" | "rows">[]): Group[] {
  const groups: { readonly chunks: string[]; rows: number }[] = [];
  for (const { chunk, rows } of chunks) {
    const last = groups.at(-1);
    if (last === undefined || last.rows + rows > GROUP_ROWS) groups.push({ chunks: [chunk], rows });
    else {
      last.chunks.push(chunk);
      last.rows += rows;
    }
  }
  return groups;
}

interface CopyingTable extends Copying {
  readonly table: HistoryTable;
  readonly columns: Columns;
  readonly sql: Statements;
  readonly values: readonly [string, readonly string[]];
  readonly younger: number | null;
}

interface Listed {
  /** JSON: the key's columns. */
  readonly key: string;
  readonly hash: string;
  readonly bytes: number;
}

async function copyGroup(of: CopyingTable, { chunks }: Group): Promise<number> {
  const { table, sql, values, younger } = of;
  const [first = "", last = ""] = [chunks[0], chunks.at(-1)];
  const [there, here] = await Promise.all(
    [of.from, of.to].map((side) => side.all<Listed>(sql.listRows, ...values, first, last, younger, chunks)),
  );
  const known = new Map((here ?? []).map((row) => [row.key, row.hash]));
  const wanted: Listed[] = [];
  const gone: string[] = [];
  for (const row of there ?? []) {
    const hash = known.get(row.key);
    known.delete(row.key);
    if (hash === row.hash) continue;
    wanted.push(row);
    if (hash !== undefined && table.by === "replace") gone.push(row.key);
  }
  gone.push(...known.keys());
  const size = of.isUnderFence ? BATCH_UNDER_FENCE : BATCH;
  const goneRows = gone.map((key) => ({ key, bytes: 1 }));
  for (const rows of inBatches(goneRows, size))
    await deleteRows(
      of,
      rows.map(({ key }) => key),
    );
  for (const rows of inBatches(wanted, size)) {
    const fetched = await of.from.get<{ rows: string }>(sql.fetchRows, toKeys(rows.map(({ key }) => key)));
    await of.write(async (db) => void (await db.run(sql.insertRows, fetched?.rows ?? "[]")));
    of.onRows(table.name, rows.length);
  }
  return gone.length + wanted.length;
}

/** With a delivery go its attempts: nothing would lead to them. */
async function deleteRows({ table, sql, write, onRows }: CopyingTable, keys: readonly string[]): Promise<void> {
  await write(async (db) => {
    if (table.name === "deliveries") await db.run(DELETE_ATTEMPTS, toKeys(keys));
    await db.run(sql.deleteRows, toKeys(keys));
  });
  onRows(table.name, keys.length);
}

/** `[[key], …]` with each one's place. */
const toKeys = (keys: readonly string[]): string => `[${keys.join(",")}]`;

function inBatches<Item extends { readonly bytes: number }>(
  items: readonly Item[],
  { rowsMax, bytesMax }: typeof BATCH,
): Item[][] {
  const batches: Item[][] = [];
  let bytes = 0;
  for (const item of items) {
    bytes += item.bytes;
    const last = batches.at(-1);
    if (last !== undefined && last.length < rowsMax && bytes <= bytesMax) last.push(item);
    else {
      batches.push([item]);
      bytes = item.bytes;
    }
  }
  return batches;
}

/** All in one transaction there: what was deleted and is not copied again would be missed by nobody. */
async function appendFrom(of: CopyingTable, first: string): Promise<number> {
  const { table, sql, values, younger } = of;
  let changed = 0;
  await of.write(async (db) => {
    changed += await db.run(sql.deleteFrom, ...values, first);
    for (let after = 0; ;) {
      const page = await of.from.get<Page>(sql.fetchPage, ...values, first, younger, after, BATCH.rowsMax);
      if (page === undefined || page.count === 0) break;
      await db.run(sql.insertRows, page.rows);
      changed += page.count;
      after = page.last;
    }
  });
  of.onRows(table.name, changed);
  return changed;
}

interface Page {
  readonly rows: string;
  readonly count: number;
  readonly last: number;
}

interface Statements {
  readonly hashChunks: string;
  readonly lookAtChunks: string;
  readonly listRows: string;
  readonly fetchRows: string;
  readonly insertRows: string;
  readonly deleteRows: string;
  readonly deleteFrom: string;
  readonly fetchPage: string;
}

function toStatements(table: HistoryTable, columns: Columns): Statements {
  const { name, own = [], chunk, within = "true", instant } = table;
  const copied = columns.all.filter((column) => !own.includes(column));
  const names = copied.join(", ");
  const rows = table.from([...columns.all, "ctid", "xmin"]);
  const line = `row(${copied.map((column) => `t.${column}`).join(", ")})::text`;
  // Parameters that a table has no use for have a type all the same.
  const given = "$1::text is not null and $2::text[] is not null";
  const isOld = (place: number): string =>
    `($${place}::bigint is null${instant === undefined ? "" : ` or t.${instant} < $${place}::bigint`})`;
  const isFrom = `${chunk} collate "C" >= $3::text`;
  const key = columns.key.map((column) => `t.${column.name}`).join(", ");
  return {
    ...toChunks(table, { line, rows, isThis: `${given} and ${isOld(3)}` }),
    listRows: `-- name: list hashes of ${name}
    select json_build_array(${key})::text as key, hashtextextended(line, 0)::text as hash,
      octet_length(line) as bytes
    from (
      select ${key}, ${instant === undefined ? "" : "t.seq, "}${line} as line
      from ${rows}
      where ${given} and ${within} and $3::text is not null and $4::text is not null and ${chunk} = any ($6::text[])
        and ${isOld(5)}
    ) t
    ${instant === undefined ? "" : "order by t.seq"}`,
    fetchRows: `-- name: fetch rows of ${name}
    select coalesce(json_agg(row_to_json(one) order by one.place), '[]')::text as rows
    from (
      select given.place, ${copied.map((column) => `t.${column}`).join(", ")}
      from ${givenKeys(columns.key)}
      join ${name} t on ${isGiven(columns.key)}
    ) one`,
    insertRows: `-- name: insert copied rows of ${name}
    insert into ${name} (${names})
    select ${names}
    from json_populate_recordset(null::${name}, $1::json)
    ${table.by === "update" ? toUpdate(columns, copied) : "on conflict do nothing"}`,
    deleteRows: `-- name: delete copied rows of ${name}
    delete from ${name} t
    using ${givenKeys(columns.key)}
    where ${isGiven(columns.key)}`,
    deleteFrom: `-- name: delete copied rows of ${name} from chunk on
    delete from ${name} t
    where t.account_id = $1 and $2::text[] is not null and ${isFrom}`,
    fetchPage: `-- name: fetch page of ${name}
    select coalesce(json_agg(row_to_json(one) order by one.seq), '[]')::text as rows, count(1) as count,
      max(one.seq) as last
    from (
      select t.seq, ${copied.map((column) => `t.${column}`).join(", ")}
      from ${rows}
      where ${given} and ${isFrom} and ${isOld(4)} and t.seq > $5::bigint
      order by t.seq
      limit $6
    ) one`,
  };
}

interface ToChunks {
  readonly line: string;
  readonly rows: string;
  readonly isThis: string;
}

function toChunks({ name, chunk }: HistoryTable, { line, rows, isThis }: ToChunks) {
  const toSql = (title: string, of: string, hash: string): string => `-- name: ${title} of ${name}
    select chunk, count(1) as rows, sum(hashtextextended(version, 0))::text as versions, ${hash} as hash
    from (
      select ${chunk} as chunk, t.ctid::text || ' ' || t.xmin::text as version${of}
      from ${rows}
      where ${isThis}
    ) row_of
    group by chunk`;
  return {
    hashChunks: toSql("hash chunks", `, ${line} as line`, "sum(hashtextextended(line, 0))::text"),
    lookAtChunks: toSql("look at chunks", "", "null"),
  };
}

const toUpdate = ({ key }: Columns, copied: readonly string[]): string =>
  `on conflict (${key.map(({ name }) => name).join(", ")}) do update
    set ${copied.map((name) => `${name} = excluded.${name}`).join(", ")}`;

/** The keys at `$1` as `given`, in their order. */
const givenKeys = (key: readonly Column[]): string => `(
        select ${key.map(({ type }, place) => `(one.key ->> ${place})::${type} as k${place}`).join(", ")}, one.place
        from json_array_elements($1::json) with ordinality as one (key, place)
        offset 0
      ) given`;

const isGiven = (key: readonly Column[]): string =>
  key.map(({ name }, place) => `t.${name} = given.k${place}`).join(" and ");

const DELETE_ATTEMPTS = `-- name: delete attempts of copied deliveries
  delete from attempts a
  using (
    select (one.key ->> 0) collate "C" as id
    from json_array_elements($1::json) as one (key)
    offset 0
  ) given
  where a.delivery_id = given.id`;
