/**
 * Schemas and records made at random, which grow together: names, choices, items, letters, levels. Where JSON Schema
 * itself asks for a product, as each pattern for each name and each member for each object of a list, only the record
 * grows.
 */
import fc from "fast-check";
import { takenPatterns } from "../../src/events/patterns/patterns.kit.ts";
import type { JsonSchema, SchemaObject } from "../../src/events/schema/keywords.ts";
import { times } from "./work.ts";

export type OfSize<Value> = (size: number) => Value;

/** A schema of a size, and a value for it: `n` tells the items of a list apart. */
export interface Part {
  readonly schema: OfSize<JsonSchema>;
  readonly value: (size: number, n: number) => unknown;
}

const LETTERS_PER_SIZE = 100;
const ITEMS_PER_SIZE = 20;

/** What makes searches and matches go back, and normal forms sort. */
const units = fc.constantFrom(
  ..."a ab a- aab 1 1e 0. - _. é A b@ 😀 أ".split(" "),
  " ",
  "a ",
  "\t\n",
  "a\u0301\u0316",
  "\u0301\u0316",
  `${"1".repeat(999)} `,
);
const ends = fc.constantFrom("", "", "!", "x", "\n", "@example.com", "1");

/** One thing again and again, between others: what almost fits. */
export const repeats: fc.Arbitrary<OfSize<string>> = fc
  .tuple(ends, units, ends)
  .map(([start, unit, end]) => (size: number) => {
    const letters = LETTERS_PER_SIZE * size;
    return `${start}${unit.repeat(Math.ceil(letters / unit.length))}${end}`;
  });

/** Each with a letter that it takes. */
const atoms = fc.constantFrom(...String.raw`\w,a [a-z0-9],a a,a \d,1 .,é (?:ab|a),a [^@],b \p{L},أ (a|b),a`.split(" "));
/** As people write and copy them: a repeat in a repeat, two that take the same, one without a beginning. */
const copied = fc
  .tuple(
    fc.constantFrom(
      (a: string, b: string) => `^(?:${a}+${b}?)*$`,
      (a: string) => `^(${a}+)+$`,
      (a: string, b: string) => `^(?:${a}|${b})*@$`,
      (a: string) => `${a}+$`,
      (a: string, b: string) => `^${a}*${b}*${a}*@$`,
      (a: string, b: string) => `^(${a}+([-.]?${a}+)*)@(${b}+[.])+$`,
    ),
    atoms,
    atoms,
  )
  .map(([write, one, other]) => {
    const [[a = "", letter = ""], [b = ""]] = [one.split(","), other.split(",")];
    return { pattern: write(a, b), almost: (size: number) => `${letter.repeat(size)}!\n` };
  });
const copiedPatterns = copied.map(({ pattern }) => pattern);
const patterns = fc.oneof(copiedPatterns, takenPatterns);

/* What stands in a list: its own size is that of its choices. */

const constant = (schema: JsonSchema, value: (n: number) => unknown): Part => ({
  schema: () => schema,
  value: (_, n) => value(n),
});
const choice = (n: number): string => `choice_${n}`;
const leaves: fc.Arbitrary<Part> = fc.oneof(
  fc.constantFrom<Part>(
    { schema: (size) => ({ enum: times(size, choice) }), value: (size, n) => choice(n % size) },
    {
      schema: (size) => ({ enum: times(size, (n) => ({ name: choice(n) })) }),
      value: (size, n) => ({ name: choice(n % size) }),
    },
    constant({ type: "integer", minimum: 0 }, (n) => n),
    constant({ type: ["number", "null"], multipleOf: 0.5 }, (n) => (n % 3 === 0 ? null : n + 0.5)),
    constant({ type: "object", required: ["n"], properties: { n: true } }, (n) => ({ n, sku: "A" })),
    constant({ const: "a" }, () => "a"),
    constant({ type: "string", format: "email" }, (n) => `${n}@example.com`),
  ),
  patterns.map((pattern) => constant({ type: "string", pattern }, (n) => "a".repeat(n % 9))),
);

/* Parts that grow. */

const grownTexts: fc.Arbitrary<Part> = fc
  .tuple(repeats, fc.option(patterns, { nil: undefined, freq: 4 }), fc.constantFrom(undefined, 1, 8))
  .map(([text, pattern, minLength]) => ({
    schema: () => without({ type: "string", pattern, minLength }),
    value: (size) => text(size),
  }));

const without = (schema: SchemaObject | object): SchemaObject => JSON.parse(JSON.stringify(schema)) as SchemaObject;

const grownLists: fc.Arbitrary<Part> = fc
  .record({
    item: leaves,
    other: leaves,
    uniqueItems: fc.boolean(),
    form: fc.constantFrom("items", "contains", "unevaluatedItems", "anyOf", "oneOf", "not", "prefixItems"),
    last: fc.constantFrom("right", "right", "wrong", "twice"),
  })
  .map(({ item, other, uniqueItems, form, last }) => ({
    schema(size) {
      const [one, two] = [item.schema(size), other.schema(size)];
      const rules: Readonly<Record<string, object>> = {
        items: { items: one },
        contains: { items: one, contains: two, minContains: 2 },
        unevaluatedItems: { allOf: [{ contains: one }], unevaluatedItems: false },
        anyOf: { items: { anyOf: [two, one] } },
        oneOf: { items: { oneOf: [{ allOf: [two, { type: "null" }] }, one] } },
        not: { items: { allOf: [one], not: { allOf: [two, { type: "null" }] } } },
        prefixItems: { prefixItems: [one, true], items: one },
      };
      return without({ type: "array", uniqueItems, ...rules[form] });
    },
    value(size) {
      const items = times(ITEMS_PER_SIZE * size, (n) => item.value(size, n));
      return last === "right" ? items : [...items, last === "wrong" ? { wrong: true } : items[0]];
    },
  }));

/** One letter is missing in those that the schema does not know. */
const knownName = (n: number): string => `known_member_${n}`;
const unknownName = (n: number): string => `knwn_member_${n}`;
const members = <Value>(names: readonly string[], value: Value) =>
  Object.fromEntries(names.map((name) => [name, value]));

const grownNames: fc.Arbitrary<Part> = fc
  .record({
    close: fc.constantFrom("additionalProperties", "unevaluatedProperties"),
    isClosed: fc.boolean(),
    isInPart: fc.constantFrom(undefined, "allOf", "anyOf", "else", "$ref"),
    byPattern: fc.option(patterns, { nil: undefined }),
    nameRule: fc.option(
      fc.oneof(
        patterns.map((pattern) => ({ pattern })),
        fc.constant({ maxLength: 4_000 }),
      ),
      { nil: undefined, freq: 1 },
    ),
    longName: fc.option(repeats, { nil: undefined }),
    isRequired: fc.boolean(),
    isAsked: fc.boolean(),
  })
  .map(({ close, isClosed, isInPart, byPattern, nameRule, longName, isRequired, isAsked }) => ({
    schema(size) {
      const names = times(size, knownName);
      const known = {
        properties: members(names, { type: "string" }),
        required: isRequired ? names : undefined,
        dependentRequired: isAsked ? { [unknownName(0)]: names } : undefined,
        patternProperties: byPattern === undefined ? undefined : { [byPattern]: { type: "string" } },
      };
      const parts: Readonly<Record<string, object>> = {
        allOf: { allOf: [known, { properties: { more: true } }] },
        anyOf: { anyOf: [{ required: ["more"] }, known] },
        else: { if: { required: ["never"] }, else: known },
        $ref: { $ref: "#/$defs/known", $defs: { known } },
      };
      const part = isInPart === undefined || close === "additionalProperties" ? known : parts[isInPart];
      const closed = isClosed ? false : { type: ["string", "number"] };
      return without({ type: "object", ...part, [close]: closed, propertyNames: nameRule });
    },
    value(size) {
      const names = times(ITEMS_PER_SIZE * size, unknownName);
      const more = longName === undefined ? {} : { [longName(size)]: "x" };
      return { ...members(names, "x"), ...(isRequired ? members(times(size, knownName), "x") : {}), ...more };
    },
  }));

/** Deep enough to double often, and above the levels that a record may have with what is around it. */
const LEVELS_MAX = 56;

/** Alternatives in one recursion: many overlap, and the service refuses them. */
const recursions: fc.Arbitrary<Part> = fc
  .record({
    keyword: fc.constantFrom("oneOf", "anyOf", "allOf"),
    alternatives: fc.array(
      fc.record({
        tag: fc.constantFrom(undefined, "const", "enum"),
        names: fc.uniqueArray(fc.constantFrom("next", "l", "r", "rest"), { minLength: 1, maxLength: 3 }),
        isLeaf: fc.boolean(),
        unevaluatedProperties: fc.constantFrom(undefined, undefined, false),
      }),
      { minLength: 1, maxLength: 3 },
    ),
    way: fc.array(fc.constantFrom("next", "l", "r"), { minLength: 1, maxLength: 3 }),
    leaf: fc.constantFrom<unknown>(1, "wrong"),
    isNegated: fc.constantFrom(false, false, true),
  })
  .map(({ keyword, alternatives, way, leaf, isNegated }) => {
    const nodes = alternatives.map(({ tag, names, isLeaf, unevaluatedProperties }, n) => ({
      type: "object",
      required: tag === undefined ? undefined : ["kind"],
      properties: {
        ...members(names, { $ref: "#/$defs/node" }),
        kind: tag === undefined ? undefined : tag === "const" ? { const: n } : { enum: [n, `${n}`] },
        leaf: isLeaf ? { type: "integer" } : undefined,
      },
      unevaluatedProperties,
    }));
    const node = isNegated ? { [keyword]: nodes, not: { required: ["never"] } } : { [keyword]: nodes };
    const nest = (levels: number): object =>
      levels === 0 ? { kind: 0, leaf } : { kind: 0, [way[levels % way.length] ?? "next"]: nest(levels - 1) };
    return {
      schema: () => without({ $ref: "#/$defs/node", $defs: { node } }),
      value: (size) => nest(Math.min(size, LEVELS_MAX)),
    };
  });

/** Records grow in breadth where their levels have a maximum. */
const trees: fc.Arbitrary<Part> = fc
  .record({ uniqueItems: fc.boolean(), isClosed: fc.boolean(), leaf: fc.constantFrom<unknown>(1, "wrong") })
  .map(({ uniqueItems, isClosed, leaf }) => {
    const items = { $ref: "#/$defs/tree" };
    const nodes = { type: "array", items, uniqueItems };
    const tree = { type: "object", properties: { nodes, leaf: { type: "integer" } } };
    const closed = isClosed ? { unevaluatedProperties: false } : {};
    const grow = (count: number): object =>
      count < 3 ? { leaf } : { leaf: count, nodes: times(3, () => grow(Math.floor((count - 1) / 3))) };
    return {
      schema: () => without({ $ref: "#/$defs/tree", $defs: { tree: { ...tree, ...closed } } }),
      value: (size) => grow(ITEMS_PER_SIZE * size),
    };
  });

const parts = fc.oneof(grownTexts, grownLists, grownNames, recursions, trees);

export interface GrownSchema {
  readonly schema: OfSize<SchemaObject>;
  readonly record: OfSize<Readonly<Record<string, unknown>>>;
}

/** The definitions of a part stand at the root, where its references look for them. */
export const grownSchemas: fc.Arbitrary<GrownSchema> = fc
  .tuple(parts, fc.constantFrom("properties", "allOf", "unevaluatedProperties"))
  .map(([part, form]) => ({
    schema(size) {
      const { $defs, ...rest } = part.schema(size) as SchemaObject;
      const properties = { part: rest };
      if (form === "allOf") return without({ allOf: [{ properties }], $defs });
      return without({ properties, $defs, unevaluatedProperties: form === "properties" ? undefined : false });
    },
    record: (size) => ({ part: part.value(size, 0) }),
  }));

/** A letter of a text or name for each of the size: one by one, as what goes back doubles with each. */
export const nearMisses: fc.Arbitrary<GrownSchema> = fc
  .tuple(copied, fc.constantFrom("pattern", "patternProperties", "propertyNames"))
  .map(([{ pattern, almost }, keyword]) => {
    const isText = keyword === "pattern";
    const rule = keyword === "patternProperties" ? { [pattern]: true } : isText ? pattern : { pattern };
    return {
      schema: () => ({ properties: { part: { type: isText ? "string" : "object", [keyword]: rule } } }),
      record: (size) => ({ part: isText ? almost(size) : { [almost(size)]: 1 } }),
    };
  });
