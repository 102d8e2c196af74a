/**
 * Values on their way from SQLite to PostgreSQL, in the one form that both databases give: what is sent to the target
 * is what the check at the end compares, so a value that changed on its way cannot look right.
 */
import { assert } from "../../lib/assert.ts";
import { storable } from "../postgres/attempts.ts";

/** Bytes travel as base64, because JSON has none. */
export type Cell = string | number | boolean | null;

/** As a batch's hash takes it: in the order of the table's columns. */
export type Row = readonly Cell[];

interface CellKind {
  /** The type that PostgreSQL reads a cell as. */
  readonly type: string;
  /** The type that it is kept as there. */
  readonly write: (cell: string) => string;
  readonly fromSource: (value: unknown) => Cell;
  readonly fromTarget: (value: unknown) => Cell;
}

const asIs = (text: string): string => text;
const same = (value: unknown): Cell => value as Cell;

export const KINDS = {
  /** PostgreSQL's text takes no NUL. Receivers' words may have one; its store replaces it as well. */
  text: { type: "text", write: asIs, fromSource: (value) => storable(value as string), fromTarget: same },
  /** Instants, counts and numbers of rows. */
  whole: { type: "bigint", write: asIs, fromSource: same, fromTarget: same },
  real: { type: "double precision", write: asIs, fromSource: same, fromTarget: same },
  boolean: { type: "boolean", write: asIs, fromSource: (value) => value === 1, fromTarget: same },
  bytes: { type: "text", write: (cell) => `decode(${cell}, 'base64')`, fromSource: toBase64, fromTarget: toBase64 },
} as const satisfies Readonly<Record<string, CellKind>>;

export type Kind = keyof typeof KINDS;

/** By PostgreSQL's name of a column's type. */
const KIND_OF_TYPE: Readonly<Record<string, Kind>> = {
  text: "text",
  bigint: "whole",
  integer: "whole",
  "double precision": "real",
  boolean: "boolean",
  bytea: "bytes",
};

export function findKind(type: string): Kind {
  const kind = KIND_OF_TYPE[type.replace(/ collate .*/, "")];
  assert(kind !== undefined, `a move knows no type ${type}`);
  return kind;
}

export const fromSource = (kind: Kind, value: unknown): Cell => (value === null ? null : KINDS[kind].fromSource(value));
export const fromTarget = (kind: Kind, value: unknown): Cell => (value === null ? null : KINDS[kind].fromTarget(value));

/** A cell of a key, as SQLite compares it. */
export function toSource(cell: Cell): string | number {
  assert(typeof cell === "string" || typeof cell === "number", `a key has a cell ${String(cell)}`);
  return cell;
}

/** About how much memory it takes, for the size of a batch. */
export const countChars = (cell: Cell): number => (typeof cell === "string" ? cell.length : 8);

function toBase64(value: unknown): string {
  const bytes = value as Uint8Array;
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64");
}

/* How a table that a move takes along is described: `tables.ts` has the list. */

export interface MovedColumn {
  readonly name: string;
  readonly kind: Kind;
  /** What SQLite has for it, of the table as `t`. */
  readonly read: string;
}

export interface MovedTable {
  readonly name: string;
  /** Where SQLite has its rows. */
  readonly from: string;
  /** PostgreSQL's columns. */
  readonly columns: readonly MovedColumn[];
  /** Those by which PostgreSQL finds a row. */
  readonly key: readonly MovedColumn[];
  /** SQLite's own key: rows are read in its order, and a move that was stopped goes on behind the last one. */
  readonly order: readonly MovedColumn[];
  /** The part that SQLite has packed into each row, as `b`. */
  readonly unpack?: string | undefined;
  /** Rows, as `t`, that are the move's own business on either side. */
  readonly only?: string | undefined;
}
