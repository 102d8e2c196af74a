/**
 * Rows that a statement is given, many at once. Each column travels as one array in PostgreSQL's binary form, and the
 * statement reads them side by side:
 *
 *     const GIVEN = givenRows({ id: "text" });
 *     `… select id from (select ${GIVEN.columns}) as given`, ...GIVEN.toValues(rows)
 *
 * As JSON the server read each row twice, kept a table of its fields and made numbers of text.
 */
import { assert } from "../../../lib/assert.ts";

interface Kinds {
  readonly boolean: boolean;
  readonly integer: number;
  readonly bigint: number;
  readonly "double precision": number;
  readonly text: string;
  readonly bytea: Uint8Array;
}

type Kind = keyof Kinds;

/** By the columns' names; what is `null` or left out is null. */
export type GivenRow<Columns extends Readonly<Record<string, Kind>>> = {
  readonly [Name in keyof Columns]?: Kinds[Columns[Name]] | null | undefined;
};

export interface GivenRows<Columns extends Readonly<Record<string, Kind>>> {
  /** To be selected: the server takes a row out of the arrays when it needs it. They are the first values. */
  readonly columns: string;
  /**
   * For a statement that joins them to a table: `from unnest(${GIVEN.arrays}) as given (${GIVEN.names})`. The server
   * keeps each column in a store of its own first, of 16 KiB at least, but Citus can send it on to where the table is.
   */
  readonly arrays: string;
  readonly names: string;
  /** One array per column; a column without any value is sent as `null`, which `unnest` pads. */
  toValues(rows: readonly GivenRow<Columns>[]): (Buffer | null)[];
}

export function givenRows<const Columns extends Readonly<Record<string, Kind>>>(columns: Columns): GivenRows<Columns> {
  const all = Object.entries(columns);
  const arrays = all.map(([, kind], place) => `$${place + 1}::${kind}[]`);
  return {
    columns: all.map(([name], place) => `unnest(${arrays[place]}) as ${name}`).join(", "),
    arrays: arrays.join(", "),
    names: all.map(([name]) => name).join(", "),
    toValues: (rows) => all.map(([name, kind]) => toArray(kind, name, rows)),
  };
}

/** How a kind of value is written: the type's number, which PostgreSQL never changes, and its bytes. */
interface Form<Value> {
  readonly oid: number;
  /** At least as many as are written. */
  bytesMax(value: Value): number;
  /** How many bytes it has become. */
  write(to: Buffer, value: Value, at: number): number;
}

const FORMS: { readonly [Name in Kind]: Form<Kinds[Name]> } = {
  boolean: { oid: 16, bytesMax: () => 1, write: (to, value, at) => to.writeUInt8(value ? 1 : 0, at) - at },
  integer: { oid: 23, bytesMax: () => 4, write: (to, value, at) => to.writeInt32BE(value, at) - at },
  bigint: { oid: 20, bytesMax: () => 8, write: writeBigint },
  "double precision": { oid: 701, bytesMax: () => 8, write: (to, value, at) => to.writeDoubleBE(value, at) - at },
  text: { oid: 25, bytesMax: textBytesMax, write: (to, text, at) => to.write(text, at) },
  bytea: { oid: 17, bytesMax: (bytes) => bytes.byteLength, write: writeBytes },
};

/** A character is three bytes at most: for short texts it costs less to keep these free than to count. */
function textBytesMax(text: string): number {
  return text.length > 4_096 ? Buffer.byteLength(text) : text.length * 3;
}

/** Our whole numbers are instants and counts, far below 2^53; `BigInt` would make an object of each. */
function writeBigint(to: Buffer, value: number, at: number): number {
  assert(Number.isSafeInteger(value), `${value} is not a whole number`);
  const high = Math.floor(value / 2 ** 32);
  to.writeInt32BE(high, at);
  return to.writeUInt32BE(value - high * 2 ** 32, at + 4) - at;
}

function writeBytes(to: Buffer, bytes: Uint8Array, at: number): number {
  to.set(bytes, at);
  return bytes.byteLength;
}

const HEAD_BYTES = 20;
const LENGTH_BYTES = 4;
const NULL = -1;

/** Its dimensions, whether there are nulls, the values' type, how many they are, the first one's place; then each. */
function toArray(kind: Kind, name: string, rows: readonly GivenRow<Readonly<Record<string, Kind>>>[]): Buffer | null {
  const form = FORMS[kind] as Form<Kinds[Kind]>;
  let bytesMax = HEAD_BYTES;
  let nulls = 0;
  for (const row of rows) {
    const value = row[name];
    if (value === null || value === undefined) nulls += 1;
    else bytesMax += form.bytesMax(value);
  }
  if (nulls === rows.length) return null;
  const array = Buffer.allocUnsafe(bytesMax + rows.length * LENGTH_BYTES);
  const head = [1, nulls > 0 ? 1 : 0, form.oid, rows.length, 1];
  for (const [place, number] of head.entries()) array.writeInt32BE(number, place * 4);
  let at = HEAD_BYTES;
  for (const row of rows) {
    const value = row[name];
    const isNull = value === null || value === undefined;
    const length = isNull ? NULL : form.write(array, value, at + LENGTH_BYTES);
    array.writeInt32BE(length, at);
    at += LENGTH_BYTES + Math.max(0, length);
  }
  return array.subarray(0, at);
}
