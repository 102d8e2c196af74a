/** Copying one table: batch by batch in the order of its key, each with its place. */
import { assert } from "../../lib/assert.ts";
import type { Arriving } from "./marks.ts";
import type { Source } from "./source.ts";
import type { MovedTable } from "./moved-table.ts";
import type { Target } from "./target.ts";

/** Gives how far the move is after each batch that was committed. */
export async function* copyTable(
  { source, target }: { readonly source: Source; readonly target: Target },
  table: MovedTable,
  arriving: Arriving,
): AsyncGenerator<Arriving> {
  let before = arriving;
  for (;;) {
    const done = before.tables[table.name];
    const batch = source.readBatch(table, done?.place ?? null);
    if (batch === null) return await target.analyze(table);
    assert(batch.place.length > 0, `a batch of ${table.name} ends nowhere`);
    const rows = (done?.rows ?? 0) + batch.rows.length;
    const mark = { ...before, tables: { ...before.tables, [table.name]: { rows, place: batch.place } } };
    await target.insert(table, batch.rows, { before, mark });
    before = mark;
    yield mark;
  }
}
