/**
 * What is left of an account in a shard where it does not live: its history after a move, or the copy of a move that
 * was taken back. It goes in batches, which any process may go on with.
 */
import { commit, type Transaction } from "../../transaction.ts";
import { deleteDeparted, holdDeparted } from "./arriving.ts";
import { type Catalogue, columnsOf, loadCatalogue } from "./catalogue.ts";
import type { Owners } from "./copy.ts";
import { changePlace, findPlace, type MovesOver } from "./places.ts";
import { deleteBlocks } from "./search-copy.ts";
import { HISTORY, type HistoryTable } from "./tables.ts";

const BATCH_ROWS = 2_000;
const BATCH_BLOCKS = 32;

/** `onRows` is called after each batch, and throws to stop. */
export async function cleanUp(
  over: MovesOver,
  accountId: string,
  onRows: (table: string, rows: number) => void,
): Promise<void> {
  const place = await findPlace(over.directory, accountId);
  // The copy of a move that died while it was taken back stands where it was going.
  const name = place.leaving ?? place.movingTo;
  if (name === null) return;
  const database = await over.shard(name);
  const catalogue = await commit(database, "nothing", ({ db }) => loadCatalogue(db));
  for (const table of IN_ORDER) {
    for (let rows = BATCH_ROWS; rows === BATCH_ROWS;) {
      rows = await commit(database, "nothing", (tx) => deleteSome(tx, { accountId, catalogue, table }));
      if (rows > 0) onRows(table.name, rows);
    }
  }
  for (let blocks = BATCH_BLOCKS; blocks === BATCH_BLOCKS;) {
    blocks = await commit(database, "nothing", (tx) => deleteSomeBlocks(tx, accountId));
    if (blocks > 0) onRows("search_blocks", blocks);
  }
  await commit(database, "nothing", async ({ db }) => void (await deleteDeparted(db, accountId)));
  if (place.leaving === null) return;
  await changePlace(over.directory, accountId, { before: place, after: { ...place, leaving: null } });
}

/** Deliveries lead to attempts and to the events of tests: they go with them, and after them. */
const IN_ORDER: readonly HistoryTable[] = [
  ...HISTORY.filter(({ name }) => name === "events"),
  ...HISTORY.filter(({ name }) => name !== "events" && name !== "attempts"),
];

interface DeleteSome {
  readonly accountId: string;
  readonly catalogue: Catalogue;
  readonly table: HistoryTable;
}

async function deleteSome({ db }: Transaction, { accountId, catalogue, table }: DeleteSome): Promise<number> {
  const owners = await holdDeparted(db, accountId);
  if (owners === null) return 0;
  const ids = table.owner === null ? [] : owners[table.owner satisfies keyof Owners];
  return await db.run(toDelete(table, catalogue), accountId, ids, BATCH_ROWS);
}

async function deleteSomeBlocks({ db }: Transaction, accountId: string): Promise<number> {
  if ((await holdDeparted(db, accountId)) === null) return 0;
  const blocks = await db.all<{ id: number }>(LIST_BLOCKS, accountId, BATCH_BLOCKS);
  await deleteBlocks(
    db,
    blocks.map(({ id }) => id),
  );
  return blocks.length;
}

function toDelete({ name, from }: HistoryTable, catalogue: Catalogue): string {
  const key = columnsOf(catalogue, name).key.map((column) => column.name);
  const withAttempts = `, attempted as (
      delete from attempts a
      using old
      where a.delivery_id = old.id
    )`;
  return `-- name: delete some left ${name}
    with old as materialized (
      select ${key.map((column) => `t.${column}`).join(", ")}
      from ${from(key)}
      where $1::text is not null and $2::text[] is not null
      limit $3
    )${name === "deliveries" ? withAttempts : ""}
    delete from ${name} t
    using old
    where ${key.map((column) => `t.${column} = old.${column}`).join(" and ")}`;
}

const LIST_BLOCKS = `-- name: list some left blocks of search
  select b.id
  from search_blocks b
  where b.account_id = $1
  order by b.id
  limit $2`;
