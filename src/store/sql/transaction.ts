/**
 * The transaction that the verbs of this folder work in, on either database. Each statement is written once, as
 * PostgreSQL takes it, with `$1, $2 …` for its values. SQLite's connection translates it
 * (`../sqlite/connection/translate.ts`).
 *
 * The rules that keep a statement good for both: `cast(x as text)` and not `x::text`; `"camelCase"` column names in
 * quotes; no `delete … using`; a flag read from a row goes through `Boolean`, because SQLite has only 0 and 1. A row
 * lock (`for update`) stands last in its statement: SQLite drops it, because there one transaction has the whole file.
 * A statement about deliveries says whether it means what waits or what has ended (`and not is_ended`): PostgreSQL
 * keeps them apart, and SQLite knows the column too.
 */

import type { EventTypes } from "../../events/event-types.ts";

export type SqlValue = string | number | boolean | null | Uint8Array;

/** A boolean column as a row has it: SQLite keeps 0 and 1. */
export type Flag = boolean | 0 | 1;

/** SQLite answers at once, PostgreSQL later. `await` takes both. */
export type Answer<Value> = Value | Promise<Value>;

export interface SqlConnection {
  /** Rows changed. */
  run(sql: string, ...values: SqlValue[]): Answer<number>;
  /** The first row. `Row` is the caller's word for what its columns are. */
  get<Row>(sql: string, ...values: SqlValue[]): Answer<Row | undefined>;
  all<Row>(sql: string, ...values: SqlValue[]): Answer<Row[]>;
}

/**
 * A verb's transaction. It remembers what a batch would otherwise read again for every event; the memory dies with the
 * transaction, so a roll-back needs no undoing.
 */
export interface SqlTransaction {
  readonly db: SqlConnection;
  /** How events are read: what a list says of one, and by which words it is found. */
  readonly types: EventTypes;
  /** Each account's version as of now in this transaction; `null`: no such account. */
  readonly configVersions: Map<string, number | null>;
  /** Destinations that the event's path has read in this transaction; a change of one makes it forget that one. */
  readonly destinations: { delete(id: string): boolean };
  /** Waits for other transactions that hold this name, and holds it until the commit. */
  hold(name: string): Answer<void>;
}
