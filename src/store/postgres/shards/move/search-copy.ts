/**
 * Search's blocks on their way to another shard. Numbers of blocks are a shard's own, so a block is known by what it
 * holds: its own columns and its entries. The shard that it arrives in feeds its own index meanwhile, and may have
 * taken in events of the account there: its blocks differ, and go.
 */
import type { Connection } from "../../connection/connection.ts";
import { columnsOf } from "./catalogue.ts";
import type { Copying } from "./copy.ts";

/** Of 64 KB of words each, and as much of texts. */
const BLOCKS_AT_ONCE = 8;

export interface CopySearch extends Omit<Copying, "owners" | "beforeMs" | "isUnderFence"> {
  /** Without the block that still takes events: an account has one at most, and the other shard may have begun one. */
  readonly onlySealed: boolean;
}

/** Returns how many blocks were written or deleted. */
export async function copySearch(copying: CopySearch): Promise<number> {
  const { from, write, onRows } = copying;
  const sql = toStatements(copying);
  const [there, here] = await Promise.all([
    hashBlocks(copying, "from"),
    hashBlocks({ ...copying, onlySealed: false }, "to"),
  ]);
  const known = new Map(here.map(({ id, hash }) => [hash, id]));
  const wanted: number[] = [];
  for (const { id, hash } of there) {
    if (!known.delete(hash)) wanted.push(id);
  }
  const gone = [...known.values()];
  for (const ids of inBatches(gone)) {
    await write((db) => deleteBlocks(db, ids));
    onRows("search_blocks", ids.length);
  }
  for (const ids of inBatches(wanted)) {
    const fetched = await from.get<{ blocks: string; entries: string }>(sql.fetchBlocks, ids);
    await write(async (db) => {
      const numbers = (await db.all<{ id: number }>(NUMBER_BLOCKS, ids.length)).map(({ id }) => id);
      await db.run(sql.insertBlocks, fetched?.blocks ?? "[]", ids, numbers);
      await db.run(sql.insertEntries, fetched?.entries ?? "[]", ids, numbers);
    });
    onRows("search_blocks", ids.length);
  }
  return gone.length + wanted.length;
}

interface Block {
  readonly id: number;
  readonly hash: string;
}

/** Only of those is it computed that have no hash yet in the versions that they are in. */
async function hashBlocks(
  { accountId, alike, onlySealed, ...copying }: CopySearch,
  side: "from" | "to",
): Promise<Block[]> {
  const looked = await copying[side].all<Block>(LOOK_AT_BLOCKS, accountId, onlySealed);
  const keyed = looked.map(({ id, hash: versions }) => ({ id, key: `search_blocks ${side} ${id} ${versions}` }));
  const unknown = keyed.filter(({ key }) => !alike.has(key));
  const ids = unknown.map(({ id }) => id);
  const hashed = ids.length === 0 ? [] : await copying[side].all<Block>(toStatements(copying).hashBlocks, ids);
  const hashes = new Map(hashed.map(({ id, hash }) => [id, hash]));
  for (const { id, key } of unknown) alike.set(key, hashes.get(id) ?? "gone");
  return keyed.map(({ id, key }) => ({ id, hash: alike.get(key) ?? "gone" }));
}

/** With their entries. Returns how many blocks. */
export async function deleteBlocks(db: Connection, ids: readonly number[]): Promise<void> {
  await db.run(DELETE_ENTRIES, ids);
  await db.run(DELETE_BLOCKS, ids);
}

const inBatches = (ids: readonly number[]): number[][] =>
  Array.from({ length: Math.ceil(ids.length / BLOCKS_AT_ONCE) }, (_, batch) =>
    ids.slice(batch * BLOCKS_AT_ONCE, (batch + 1) * BLOCKS_AT_ONCE),
  );

function toStatements({ catalogue }: Pick<Copying, "catalogue">) {
  const without = (table: string, column: string): string[] =>
    columnsOf(catalogue, table).all.filter((name) => name !== column);
  const block = without("search_blocks", "id");
  const entry = without("search_entries", "block_id");
  const numbered = "unnest($2::bigint[], $3::bigint[]) as renumbered (old_id, new_id)";
  const listOf = (columns: readonly string[], of: string): string => columns.map((name) => `${of}.${name}`).join(", ");
  return {
    hashBlocks: `${toHash("hash blocks of search", listOf(block, "b"), listOf(entry, "s"))}
    where b.id = any ($1::bigint[])`,
    fetchBlocks: `-- name: fetch blocks of search
    select (
        select coalesce(json_agg(row_to_json(b) order by b.id), '[]')::text
        from search_blocks b
        where b.id = any ($1::bigint[])
      ) as blocks, (
        select coalesce(json_agg(row_to_json(s)), '[]')::text
        from search_entries s
        where s.block_id = any ($1::bigint[])
      ) as entries`,
    insertBlocks: `-- name: insert copied blocks of search
    insert into search_blocks (id, ${block.join(", ")})
    overriding system value
    select renumbered.new_id, ${listOf(block, "b")}
    from json_populate_recordset(null::search_blocks, $1::json) b
    join ${numbered} on renumbered.old_id = b.id
    order by renumbered.new_id`,
    insertEntries: `-- name: insert copied entries of search
    insert into search_entries (block_id, ${entry.join(", ")})
    select renumbered.new_id, ${listOf(entry, "s")}
    from json_populate_recordset(null::search_entries, $1::json) s
    join ${numbered} on renumbered.old_id = s.block_id
    on conflict (event_id) do nothing`,
  };
}

/** Columns of a block `b` and of its entries `s`. */
const toHash = (title: string, block: string, entry: string): string => `-- name: ${title}
    select b.id, concat_ws(' ', hashtextextended(row(${block})::text, 0), entries.rows, entries.hash) as hash
    from search_blocks b
    cross join lateral (
      select count(1) as rows, sum(hashtextextended(row(${entry})::text, 0)) as hash
      from search_entries s
      where s.block_id = b.id
    ) entries`;

const LOOK_AT_BLOCKS = `${toHash("look at blocks of search", "b.ctid, b.xmin", "s.ctid, s.xmin")}
    where b.account_id = $1 and (not $2::boolean or b.words is not null)
    order by b.id`;

/** In the order in which they were numbered before. */
const NUMBER_BLOCKS = `-- name: number copied blocks of search
  select nextval(pg_get_serial_sequence('search_blocks', 'id')) as id
  from generate_series(1, $1::integer)
  order by id`;

const DELETE_ENTRIES = `-- name: delete entries of blocks
  delete from search_entries s
  where s.block_id = any ($1::bigint[])`;

const DELETE_BLOCKS = `-- name: delete blocks of search
  delete from search_blocks b
  where b.id = any ($1::bigint[])`;
