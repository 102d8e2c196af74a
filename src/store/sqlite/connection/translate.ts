/**
 * A statement of `../../sql/` as SQLite takes it. Three things differ: SQLite's positional `?` in place of `$1, $2 …`,
 * no row locks, and no booleans among the values.
 */
import type { SQLInputValue } from "node:sqlite";

export interface Translated {
  readonly text: string;
  /** Which value each `?` takes; `null` when the statement was written with `?`. */
  readonly order: readonly number[] | null;
}

export function translate(sql: string): Translated {
  if (!/\$\d/.test(sql)) return { text: sql.replaceAll(ROW_LOCK, ""), order: null };
  const order: number[] = [];
  const text = sql.replaceAll(/\$(\d+)/g, (_, digits: string) => {
    order.push(Number(digits) - 1);
    return "?";
  });
  return { text: text.replaceAll(ROW_LOCK, ""), order };
}

/** A clause of its own line. The database is locked as a whole from the transaction's first statement on. */
const ROW_LOCK = /\n\s+for (?:no key )?update(?: of \w+)?(?: skip locked)?$/gm;

export type PlainValue = SQLInputValue | boolean;

export const bind = (order: readonly number[], values: readonly PlainValue[]): SQLInputValue[] =>
  order.map((place) => toSqlite(values[place]));

function toSqlite(value: PlainValue | undefined): SQLInputValue {
  if (value === undefined) return null;
  return typeof value === "boolean" ? Number(value) : value;
}
