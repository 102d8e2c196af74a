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

export interface CopySearch extends Omit<Copying, "owners" | "alike" | "beforeMs" | "isUnderFence"> {
  /** Without the block that still takes events: an account has one at most, and the other shard may have begun one. */
  readonly onlySealed: boolean;
}

/** Returns how many blocks were written or deleted. */
export async function copySearch(copying: CopySearch): Promise<number> {
  const { accountId, from, to, write, onRows, onlySealed } = copying;
  const sql = toStatements(copying);
  const [there, here] = await Promise.all([
    from.all<Block>(sql.hashBlocks, accountId, onlySealed),
    to.all<Block>(sql.hashBlocks, accountId, false),
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
    hashBlocks: `-- name: hash blocks of search
    select b.id,
      concat_ws(' ', hashtextextended(row(${listOf(block, "b")})::text, 0), entries.rows, entries.hash) as hash
    from search_blocks b
    cross join lateral (
      select count(1) as rows, sum(hashtextextended(row(${listOf(entry, "s")})::text, 0)) as hash
      from search_entries s
      where s.block_id = b.id
    ) entries
    where b.account_id = $1 and (not $2::boolean or b.words is not null)
    order by b.id`,
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
