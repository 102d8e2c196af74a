/** How a table that a move takes along is described: `tables.ts` has the list. */
import type { Kind } from "./cells.ts";

/** A kind alone: the column is called the same on SQLite. Else what to read there, of the table as `t`. */
export type Column = Kind | { readonly kind: Kind; readonly read: string };

export interface MovedTable {
  readonly name: string;
  /** Where SQLite has its rows; a table of the same name when left out. */
  readonly from?: string;
  /** SQLite's own key: rows are read in its order, and a move that was stopped goes on behind the last one. */
  readonly order: Readonly<Record<string, Kind>>;
  /** The columns by which PostgreSQL finds a row. */
  readonly key: readonly string[];
  /** PostgreSQL's columns. */
  readonly columns: Readonly<Record<string, Column>>;
  /** The part that SQLite has packed into each row, as `b`. */
  readonly unpack?: string;
  /** Rows, as `t`, that are the move's own business on either side. */
  readonly only?: string;
  /** PostgreSQL numbers its rows by itself, in `seq`: it must go on behind the last number. */
  readonly isNumbered?: true;
}
