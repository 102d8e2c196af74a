/**
 * Makes what one shard has of an account's history equal to what another has: both say which versions of rows (`xmin`
 * and `ctid`) each chunk has, without a look at what they hold, and of chunks whose versions are not those that were
 * found alike before each row's hash. Only rows that differ travel, through this process, as text that nobody reads on
 * the way. So the first copy, going on after a crash, catching up with traffic, and the comparison at the end are one
 * thing, and each round is about what has changed since the last one.
 */
import type { Connection } from "../../connection/connection.ts";
import { type Catalogue, type Column, type Columns, columnsOf } from "./catalogue.ts";
import { HISTORY, type HistoryTable, type Owner } from "./tables.ts";

/** The ids that lead to rows without `account_id`. */
export type Owners = Readonly<Record<Owner, readonly string[]>>;

/**
 * Chunks that were found alike, by table and chunk, with the versions that their rows had before on either side: where
 * both are still the same, so is what they hold. Search's blocks have their hash here, by their versions. Begins empty.
 */
export type Alike = Map<string, string>;

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
const GROUP_ROWS = 10_000;
/** Of a batch that travels. Others commit between two of them, but under the fence, where each only takes time. */
const BATCH = { rowsMax: 200, bytesMax: 300_000 };
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
  const of = { ...copying, table, columns, sql, values, younger };
  const chunks = await listUnknown(of);
  if (table.by === "append") return await append(of, chunks);
  let changed = 0;
  for (const group of toGroups(chunks)) changed += await copyGroup(of, group);
  return changed;
}

interface Chunk {
  readonly chunk: string;
  /** On the side that has more. */
  readonly rows: number;
  /** Of its rows' versions on either side. */
  readonly versions: string;
}

/** Those that are not known to be alike, in their order. */
async function listUnknown({ from, to, alike, table, sql, values, younger }: CopyingTable): Promise<Chunk[]> {
  const sides = await Promise.all(
    [from, to].map(async (side) => {
      const chunks = await side.all<Chunk>(sql.lookAtChunks, ...values, younger);
      return new Map(chunks.map((one) => [one.chunk, one]));
    }),
  );
  const names = [...new Set(sides.flatMap((side) => [...side.keys()]))].toSorted();
  const chunks = names.map((chunk) => {
    const found = sides.map((side) => side.get(chunk));
    const versions = found.map((one) => one?.versions ?? "none").join(" ");
    return { chunk, rows: Math.max(...found.map((one) => one?.rows ?? 0)), versions };
  });
  return chunks.filter(({ chunk, versions }) => alike.get(`${table.name} ${chunk}`) !== versions);
}

/** Neighbours are looked at together. */
function toGroups(chunks: readonly Chunk[]): Chunk[][] {
  const groups: Chunk[][] = [];
  let rows = 0;
  for (const chunk of chunks) {
    const last = groups.at(-1);
    rows += chunk.rows;
    if (last !== undefined && rows <= GROUP_ROWS) last.push(chunk);
    else {
      groups.push([chunk]);
      ({ rows } = chunk);
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
  readonly chunk: string;
  /** JSON: the key's columns. */
  readonly key: string;
  readonly hash: string;
  readonly bytes: number;
}

/** Of both sides, in the order of their numbers where they have any. */
function listRows({ from, to, sql, values, younger }: CopyingTable, chunks: readonly Chunk[]): Promise<Listed[][]> {
  const names = chunks.map(({ chunk }) => chunk);
  const range = [names[0] ?? "", names.at(-1) ?? ""] as const;
  return Promise.all([from, to].map((side) => side.all<Listed>(sql.listRows, ...values, ...range, younger, names)));
}

/** By the versions that were seen before its rows were read: what has changed in between is another version. */
function noteAlike({ alike, table }: CopyingTable, { chunk, versions }: Chunk): void {
  alike.set(`${table.name} ${chunk}`, versions);
}

async function copyGroup(of: CopyingTable, chunks: readonly Chunk[]): Promise<number> {
  const { table, sql } = of;
  const [there = [], here = []] = await listRows(of, chunks);
  const known = new Map(here.map((row) => [row.key, row]));
  const different = new Set<string>();
  const wanted: Listed[] = [];
  const gone: Listed[] = [];
  for (const row of there) {
    const other = known.get(row.key);
    known.delete(row.key);
    if (other?.hash === row.hash) continue;
    wanted.push(row);
    different.add(row.chunk);
    if (other !== undefined && table.by === "replace") gone.push(other);
  }
  gone.push(...known.values());
  for (const { chunk } of gone) different.add(chunk);
  for (const one of chunks) if (!different.has(one.chunk)) noteAlike(of, one);
  const size = of.isUnderFence ? BATCH_UNDER_FENCE : BATCH;
  for (const rows of inBatches(gone, size)) await deleteRows(of, rows);
  for (const rows of inBatches(wanted, size)) {
    const fetched = await of.from.get<{ rows: string }>(sql.fetchRows, toKeys(rows));
    await of.write(async (db) => void (await db.run(sql.insertRows, fetched?.rows ?? "[]")));
    of.onRows(table.name, rows.length);
  }
  return gone.length + wanted.length;
}

/** Deletes a delivery together with its attempts: without its row nothing would lead to them. */
async function deleteRows({ table, sql, write, onRows }: CopyingTable, rows: readonly Listed[]): Promise<void> {
  await write(async (db) => {
    if (table.name === "deliveries") await db.run(DELETE_ATTEMPTS, toKeys(rows));
    await db.run(sql.deleteRows, toKeys(rows));
  });
  onRows(table.name, rows.length);
}

/** `[[key], …]` with each one's place. */
const toKeys = (rows: readonly Listed[]): string => `[${rows.map(({ key }) => key).join(",")}]`;

function inBatches(items: readonly Listed[], { rowsMax, bytesMax }: typeof BATCH): Listed[][] {
  const batches: Listed[][] = [];
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

/** From the first chunk on that differs. */
async function append(of: CopyingTable, chunks: readonly Chunk[]): Promise<number> {
  if (chunks.length === 0) return 0;
  const sides = (await listRows(of, chunks)).map((rows) => Map.groupBy(rows, ({ chunk }) => chunk));
  for (const one of chunks) {
    const [there, here] = sides.map((rows) =>
      rows
        .get(one.chunk)
        ?.map(({ hash }) => hash)
        .join(),
    );
    if (there !== here) return await appendFrom(of, one.chunk);
    noteAlike(of, one);
  }
  return 0;
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
  const key = columns.key.map((column) => column.name);
  const order = instant === undefined ? [] : ["seq"];
  return {
    lookAtChunks: `-- name: look at chunks of ${name}
    select ${chunk} as chunk, count(1) as rows,
      sum(hashtextextended(t.ctid::text || ' ' || t.xmin::text, 0))::text as versions
    from ${rows}
    where ${given} and ${isOld(3)}
    group by 1`,
    listRows: `-- name: list hashes of ${name}
    select chunk, json_build_array(${key.join(", ")})::text as key, hashtextextended(line, 0)::text as hash,
      octet_length(line) as bytes
    from (
      select ${chunk} as chunk, ${[...new Set([...key, ...order])].map((column) => `t.${column}`).join(", ")},
        ${line} as line
      from ${rows}
      where ${given} and ${within} and $3::text is not null and $4::text is not null and ${chunk} = any ($6::text[])
        and ${isOld(5)}
    ) t
    ${instant === undefined ? "" : "order by seq"}`,
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
