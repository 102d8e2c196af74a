/**
 * Rows that a statement is given, many at once. Each column travels as one array in PostgreSQL's binary form, and the
 * statement reads them side by side:
 *
 *     const GIVEN = givenRows({ bucket: "integer", id: "text" });
 *     `… select bucket, id from unnest(${GIVEN.arrays}) as given (${GIVEN.names})`, ...GIVEN.toValues(rows)
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
  readonly uuid: string;
  readonly bytea: Uint8Array;
}

type Kind = keyof Kinds;

/** By the columns' names; what is `null` or left out is null. */
export type GivenRow<Columns extends Readonly<Record<string, Kind>>> = {
  readonly [Name in keyof Columns]?: Kinds[Columns[Name]] | null | undefined;
};

export interface GivenRows<Columns extends Readonly<Record<string, Kind>>> {
  /** The statement's first values. */
  readonly arrays: string;
  readonly names: string;
  toValues(rows: readonly GivenRow<Columns>[]): Buffer[];
}

export function givenRows<const Columns extends Readonly<Record<string, Kind>>>(columns: Columns): GivenRows<Columns> {
  const all = Object.entries(columns);
  return {
    arrays: all.map(([, kind], place) => `$${place + 1}::${kind}[]`).join(", "),
    names: all.map(([name]) => name).join(", "),
    toValues: (rows) =>
      all.map(([name, kind]) =>
        toArray(
          kind,
          rows.map((row) => row[name]),
        ),
      ),
  };
}

/** How a kind of value is written: the type's number, which PostgreSQL never changes, and its bytes. */
interface Form<Value> {
  readonly oid: number;
  bytes(value: Value): number;
  write(to: Buffer, value: Value, at: number): void;
}

const FORMS: { readonly [Name in Kind]: Form<Kinds[Name]> } = {
  boolean: { oid: 16, bytes: () => 1, write: (to, value, at) => void to.writeUInt8(value ? 1 : 0, at) },
  integer: { oid: 23, bytes: () => 4, write: (to, value, at) => void to.writeInt32BE(value, at) },
  bigint: { oid: 20, bytes: () => 8, write: writeBigint },
  "double precision": { oid: 701, bytes: () => 8, write: (to, value, at) => void to.writeDoubleBE(value, at) },
  text: { oid: 25, bytes: (text) => Buffer.byteLength(text), write: (to, text, at) => void to.write(text, at) },
  uuid: { oid: 2950, bytes: () => 16, write: (to, uuid, at) => void to.write(uuid.replaceAll("-", ""), at, "hex") },
  bytea: { oid: 17, bytes: (bytes) => bytes.byteLength, write: (to, bytes, at) => to.set(bytes, at) },
};

/** Our whole numbers are instants and counts, far below 2^53; `BigInt` would make an object of each. */
function writeBigint(to: Buffer, value: number, at: number): void {
  assert(Number.isSafeInteger(value), `${value} is not a whole number`);
  const high = Math.floor(value / 2 ** 32);
  to.writeInt32BE(high, at);
  to.writeUInt32BE(value - high * 2 ** 32, at + 4);
}

const HEAD_BYTES = 20;
const LENGTH_BYTES = 4;
const NULL = -1;

/** Its dimensions, whether there are nulls, the values' type, how many they are, the first one's place; then each. */
function toArray(kind: Kind, values: readonly (Kinds[Kind] | null | undefined)[]): Buffer {
  const form = FORMS[kind] as Form<Kinds[Kind]>;
  const lengths = values.map((value) => (value === null || value === undefined ? NULL : form.bytes(value)));
  const bytes = lengths.reduce((sum, length) => sum + LENGTH_BYTES + Math.max(0, length), HEAD_BYTES);
  const array = Buffer.allocUnsafe(bytes);
  const head = [1, lengths.includes(NULL) ? 1 : 0, form.oid, values.length, 1];
  for (const [place, number] of head.entries()) array.writeInt32BE(number, place * 4);
  let at = HEAD_BYTES;
  for (const [place, value] of values.entries()) {
    const length = lengths[place] ?? NULL;
    array.writeInt32BE(length, at);
    at += LENGTH_BYTES;
    if (value === null || value === undefined) continue;
    form.write(array, value, at);
    at += length;
  }
  return array;
}
