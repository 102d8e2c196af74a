/**
 * Makes what one shard has of an account's history equal to what another has: both compute a hash of each chunk, and
 * of chunks that differ each row's. Only rows that differ travel, through this process, as text that nobody reads on
 * the way. So the first copy, going on after a crash, catching up with traffic, and the comparison at the end are one
 * thing.
 */
import type { Connection } from "../../connection/connection.ts";
import { type Catalogue, type Column, type Columns, columnsOf } from "./catalogue.ts";
import { HISTORY, type HistoryTable, type Owner } from "./tables.ts";

/** The ids that lead to rows without `account_id`. */
export type Owners = Readonly<Record<Owner, readonly string[]>>;

/** Who may be asked. */
export type Reader = Pick<Connection, "all" | "get">;

export interface Copying {
  readonly accountId: string;
  readonly owners: Owners;
  readonly catalogue: Catalogue;
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
/** Of a batch that travels. */
const BATCH_ROWS = 2_000;
const BATCH_BYTES = 4_000_000;

/** Returns how many rows were written or deleted. */
export async function copyHistory(copying: Copying): Promise<number> {
  let changed = 0;
  for (const table of HISTORY) changed += await copyTable(copying, table);
  return changed;
}

async function copyTable(copying: Copying, table: HistoryTable): Promise<number> {
  const columns = columnsOf(copying.catalogue, table.name);
  const sql = toStatements(table, columns, copying.isUnderFence);
  const values = [copying.accountId, table.owner === null ? [] : copying.owners[table.owner]] as const;
  const younger = table.instant === undefined ? null : copying.beforeMs;
  const [there, here] = await Promise.all([
    copying.from.all<Chunk>(sql.hashChunks, ...values, younger),
    copying.to.all<Chunk>(sql.hashChunks, ...values, younger),
  ]);
  const different = findDifferent(there, here);
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
  readonly hash: string;
}

/** In their order. */
function findDifferent(there: readonly Chunk[], here: readonly Chunk[]): Pick<Chunk, "chunk" | "rows">[] {
  const known = new Map(here.map((chunk) => [chunk.chunk, chunk]));
  const different: Pick<Chunk, "chunk" | "rows">[] = [];
  for (const { chunk, rows, hash } of there) {
    const other = known.get(chunk);
    known.delete(chunk);
    if (other?.hash !== hash || other.rows !== rows) different.push({ chunk, rows: Math.max(rows, other?.rows ?? 0) });
  }
  different.push(...known.values());
  return different.toSorted((a, b) => (a.chunk < b.chunk ? -1 : 1));
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
  for (const keys of inBatches(gone, () => 1)) await deleteRows(of, keys);
  for (const rows of inBatches(wanted, ({ bytes }) => bytes)) {
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

function inBatches<Item>(items: readonly Item[], bytesOf: (item: Item) => number): Item[][] {
  const batches: Item[][] = [];
  let bytes = 0;
  for (const item of items) {
    bytes += bytesOf(item);
    const last = batches.at(-1);
    if (last !== undefined && last.length < BATCH_ROWS && bytes <= BATCH_BYTES) last.push(item);
    else {
      batches.push([item]);
      bytes = bytesOf(item);
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
      const page = await of.from.get<Page>(sql.fetchPage, ...values, first, younger, after, BATCH_ROWS);
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
  readonly listRows: string;
  readonly fetchRows: string;
  readonly insertRows: string;
  readonly deleteRows: string;
  readonly deleteFrom: string;
  readonly fetchPage: string;
}

function toStatements(table: HistoryTable, columns: Columns, isUnderFence: boolean): Statements {
  const { name, own = [], writtenOnce = [], chunk, within = "true", instant } = table;
  const copied = columns.all.filter((column) => !own.includes(column));
  const names = copied.join(", ");
  const rows = table.from(columns.all);
  const compared = (column: string): string =>
    isUnderFence && writtenOnce.includes(column) ? `coalesce(octet_length(t.${column}), 0) = 0` : `t.${column}`;
  const line = `row(${copied.map(compared).join(", ")})::text`;
  const more = ["0", ...writtenOnce.map((column) => `coalesce(octet_length(t.${column}), 0)`)].join(" + ");
  const how = isUnderFence ? " under the fence" : "";
  // Parameters that a table has no use for have a type all the same.
  const given = "$1::text is not null and $2::text[] is not null";
  const isOld = (place: number): string =>
    `($${place}::bigint is null${instant === undefined ? "" : ` or t.${instant} < $${place}::bigint`})`;
  const isFrom = `${chunk} collate "C" >= $3::text`;
  const key = columns.key.map((column) => `t.${column.name}`).join(", ");
  return {
    hashChunks: `-- name: hash chunks of ${name}${how}
    select chunk, count(1) as rows, sum(hashtextextended(line, 0))::text as hash
    from (
      select ${chunk} as chunk, ${line} as line
      from ${rows}
      where ${given} and ${isOld(3)}
    ) row_of
    group by chunk`,
    listRows: `-- name: list hashes of ${name}${how}
    select json_build_array(${key})::text as key, hashtextextended(line, 0)::text as hash,
      octet_length(line) + more as bytes
    from (
      select ${key}, ${instant === undefined ? "" : "t.seq, "}${line} as line,
        ${more} as more
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
