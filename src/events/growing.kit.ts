/**
 * Schemas and records that grow together, for tests of what a check and its explanation cost: `size` names, choices or
 * patterns in the schema, and forty times as many in the record.
 */
import type { SchemaObject } from "./schema/keywords.ts";

export interface Grown {
  readonly schema: SchemaObject;
  readonly record: Readonly<Record<string, unknown>>;
}

const PER_SIZE = 40;

const names = (count: number, prefix: string): string[] => Array.from({ length: count }, (_, n) => `${prefix}_${n}`);
const members = (of: readonly string[], value: unknown) => Object.fromEntries(of.map((name) => [name, value]));
const list = (size: number, itemOf: (n: number) => unknown): unknown[] =>
  Array.from({ length: size * PER_SIZE }, (_, n) => itemOf(n));

const schemaOf = (more: SchemaObject): SchemaObject => ({
  ...more,
  type: "object",
  required: ["id"],
  properties: { ...more.properties, id: { type: "string" } },
});

const known = (size: number) => members(names(size, "known"), {}) as Readonly<Record<string, SchemaObject>>;
const unknown = (size: number) => members(names(size * PER_SIZE, "unknown"), 1);
const choice = (size: number, n: number): string => `choice_${n % size}`;
const ofList = (items: SchemaObject, values: readonly unknown[]): Grown => ({
  schema: schemaOf({ properties: { list: { type: "array", items } } }),
  record: { id: "1", list: values },
});

/** What grows, by its size. */
export const GROWING: readonly (readonly [what: string, grow: (size: number) => Grown])[] = [
  [
    "unknown names beside unevaluatedProperties",
    (size) => ({
      schema: schemaOf({ properties: known(size), unevaluatedProperties: false }),
      record: { id: "1", ...unknown(size) },
    }),
  ],
  [
    "unknown names below, beside unevaluatedProperties of a part",
    (size) => ({
      schema: schemaOf({
        properties: { part: { allOf: [{ properties: known(size) }], unevaluatedProperties: false } },
      }),
      record: { id: "1", part: unknown(size) },
    }),
  ],
  [
    "unknown names beside additionalProperties",
    (size) => ({
      schema: schemaOf({ properties: known(size), additionalProperties: false }),
      record: { id: "1", ...unknown(size) },
    }),
  ],
  [
    "choices in a list",
    (size) =>
      ofList(
        { enum: names(size, "choice") },
        list(size, (n) => choice(size, n)),
      ),
  ],
  [
    "choices in a list, the last one wrong",
    (size) => ofList({ enum: names(size, "choice") }, [...list(size, (n) => choice(size, n)), "other"]),
  ],
  [
    "choices that are objects in a list",
    (size) =>
      ofList(
        { enum: names(size, "choice").map((name) => ({ name })) },
        list(size, (n) => ({ name: choice(size, n) })),
      ),
  ],
  [
    "items that differ, but for two",
    (size) => {
      const items = list(size, (n) => ({ n }));
      const unique: SchemaObject = { type: "array", uniqueItems: true };
      return { schema: schemaOf({ properties: { list: unique } }), record: { id: "1", list: [...items, { n: 0 }] } };
    },
  ],
];
