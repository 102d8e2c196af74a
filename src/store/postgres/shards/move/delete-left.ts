/** The statements that delete what is left of an account's history (`clean-up.ts`), a batch each. */
import type { Transaction } from "../../transaction.ts";
import { type Catalogue, columnsOf } from "./catalogue.ts";
import type { DeleteLeft, MoveSteps } from "./over.ts";
import { deleteBlocks } from "./search-copy.ts";
import { HISTORY, type HistoryTable } from "./tables.ts";

const BATCH_ROWS = 200;
const BATCH_BLOCKS = 8;

/** Deliveries lead to attempts and to the events of tests: they go with them, and after them. */
const IN_ORDER: readonly HistoryTable[] = [
  ...HISTORY.filter(({ name }) => name === "events"),
  ...HISTORY.filter(({ name }) => name !== "events" && name !== "attempts"),
];

export const LEFT: readonly string[] = [...IN_ORDER.map(({ name }) => name), "search_blocks"];

export const deleteLeft: MoveSteps<Transaction>["deleteLeft"] = async (
  { db },
  { accountId, owners, catalogue, table: name }: DeleteLeft,
) => {
  const table = IN_ORDER.find((one) => one.name === name);
  if (table === undefined) {
    const blocks = await db.all<{ id: number }>(LIST_BLOCKS, accountId, BATCH_BLOCKS);
    await deleteBlocks(
      db,
      blocks.map(({ id }) => id),
    );
    return { rows: blocks.length, hasMore: blocks.length === BATCH_BLOCKS };
  }
  const ids = table.owner === null ? [] : owners[table.owner];
  const [, rows] = await Promise.all([
    db.exec(BY_INDEX),
    db.run(toDelete(table, catalogue), accountId, ids, BATCH_ROWS),
  ]);
  return { rows, hasMore: rows === BATCH_ROWS };
};

/** The first rows of a large account would be looked for from the table's start, each time past all that are gone. */
const BY_INDEX = "set local enable_seqscan = off";

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
