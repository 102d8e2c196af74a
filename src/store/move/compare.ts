/**
 * Comparing one table, after it was copied: every row is read again on both sides, in the form of `cells.ts`. Batches
 * are compared by their hashes; in one that differs the first such row is named. Rows that only the target has show in
 * its count.
 */
import { type Hash, createHash } from "node:crypto";
import type { Result } from "../../domain/problem.ts";
import { ok, refuse } from "../../lib/result.ts";
import type { MovedTable, Row } from "./cells.ts";
import type { Source } from "./source.ts";
import type { Target } from "./target.ts";

export interface ComparedTable {
  readonly table: string;
  readonly rows: number;
  /** SHA-256 of all rows, hex: the same on both sides. */
  readonly hash: string;
}

export interface Difference {
  readonly table: string;
  readonly what: "missing" | "different" | "too_many";
  /** The first row that is missing or different; how many rows the two sides have, when the target has more. */
  readonly where: Readonly<Record<string, unknown>>;
}

/** `onRows` is told after each batch, and answers whether to go on. */
export async function compareTable(
  { source, target }: { readonly source: Source; readonly target: Target },
  table: MovedTable,
  onRows: (count: number) => boolean,
): Promise<Result<ComparedTable, Difference> | "stopped"> {
  const hash = createHash("sha256");
  let rows = 0;
  for (let batch = source.readBatch(table, null); batch !== null; batch = source.readBatch(table, batch.place)) {
    const found = await target.find(table, batch.rows);
    if (!addIfSame(hash, batch.rows, found)) return refuse(firstDifference(table, batch.rows, found));
    rows += batch.rows.length;
    if (!onRows(batch.rows.length)) return "stopped";
  }
  const inTarget = await target.countRows(table);
  if (inTarget === rows) return ok({ table: table.name, rows, hash: hash.digest("hex") });
  return refuse({ table: table.name, what: "too_many", where: { source: rows, target: inTarget } });
}

/** The batch's hashes decide; the table's is of all its rows, whatever batches they came in. */
function addIfSame(hash: Hash, rows: readonly Row[], found: readonly (Row | null)[]): boolean {
  const text = rows.map(toText).join("");
  hash.update(text);
  return computeDigest(text) === computeDigest(found.map(toText).join(""));
}

const computeDigest = (text: string): string => createHash("sha256").update(text).digest("hex");

const toText = (row: Row | null | undefined): string => `${JSON.stringify(row ?? null)}\n`;

function firstDifference(table: MovedTable, rows: readonly Row[], found: readonly (Row | null)[]): Difference {
  const place = rows.findIndex((row, index) => toText(row) !== toText(found[index]));
  const isThere = found[place] !== null && found[place] !== undefined;
  const row = rows[place] ?? [];
  const where = Object.fromEntries(table.key.map((column) => [column.name, row[table.columns.indexOf(column)]]));
  return { table: table.name, what: isThere ? "different" : "missing", where };
}
