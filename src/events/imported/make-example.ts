/**
 * Makes records of a schema, for the example that a declaration needs where its catalog has none: with all members and
 * with the required ones alone, and with one alternative and the next. Which of them the schema takes, its check says.
 * Pure.
 */
import { EXAMPLE_UUID } from "../fields.ts";
import { linearPattern } from "../patterns/linear-pattern.ts";
import { isSchemaObject, type JsonSchema, type SchemaObject } from "../schema/keywords.ts";
import { readReferences } from "../schema/references.ts";
import { TIMESTAMP_EXAMPLE } from "../timestamp.ts";

/** Guesses: more is no example that anybody reads. */
const [VALUES_MAX, LEVELS_FULL, LEVELS_MAX, ITEMS_MAX] = [400, 4, 12, 50];

interface Spot {
  /** All of these hold. */
  readonly schemas: readonly JsonSchema[];
  readonly name: string;
  readonly level: number;
}

export function* makeExamples(root: SchemaObject): Generator<unknown> {
  for (const isFull of [true, false]) {
    for (const choice of [0, 1, 2, 3]) {
      yield createMaker(root, { isFull, choice })({ schemas: [root], name: "", level: 0 });
    }
  }
}

function createMaker(root: SchemaObject, { isFull, choice }: { readonly isFull: boolean; readonly choice: number }) {
  const references = readReferences(root);
  let left = VALUES_MAX;
  /** With references, `allOf` and one of each list of alternatives. */
  const listFacets = (schemas: readonly JsonSchema[]): readonly SchemaObject[] => {
    const facets = new Set<SchemaObject>();
    const visit = (schema: JsonSchema | undefined): void => {
      if (!isSchemaObject(schema) || facets.has(schema)) return;
      facets.add(schema);
      if (schema.$ref !== undefined) visit(references.resolve(schema, schema.$ref));
      for (const each of schema.allOf ?? []) visit(each);
      for (const list of [schema.anyOf, schema.oneOf]) if (list !== undefined) visit(list[choice % list.length]);
    };
    for (const each of schemas) visit(each);
    return [...facets];
  };
  const makeObject = (facets: readonly SchemaObject[], level: number): unknown => {
    const required = new Set(facets.flatMap((facet) => facet.required ?? []));
    const parts = Map.groupBy(
      facets.flatMap(({ properties = {} }) => Object.entries(properties)),
      ([name]) => name,
    );
    const others = facets.map(({ additionalProperties = true }) => additionalProperties);
    const isOpen = isFull && level < LEVELS_FULL;
    const members = [...new Set([...parts.keys(), ...required])].flatMap((name) => {
      const schemas = parts.get(name)?.map(([, part]) => part) ?? others;
      if (schemas.includes(false) || !(required.has(name) || (isOpen && left > 0))) return [];
      return [[name, makeValue({ schemas, name, level: level + 1 })] as const];
    });
    return Object.fromEntries(members);
  };
  const makeList = (facets: readonly SchemaObject[], { name, level }: Spot): unknown => {
    const items = facets.map((facet) => facet.items ?? true);
    const first = facets.flatMap(({ prefixItems = [] }) => prefixItems);
    const least = left < 0 || items.includes(false) ? 0 : 1;
    const { min, max } = boundsOf(facets, "Items");
    return Array.from({ length: Math.min(max, Math.max(min, least), ITEMS_MAX) }, (_, index) =>
      makeValue({ schemas: first[index] === undefined ? items : [first[index]], name, level: level + 1 }),
    );
  };
  const makeValue = (spot: Spot): unknown => {
    const facets = listFacets(spot.schemas);
    left -= 1;
    // A schema that asks for itself has no example.
    if (spot.level > LEVELS_MAX || left < -VALUES_MAX) return null;
    const lists = facets.flatMap(({ type }) => (type === undefined ? [] : [[type].flat()]));
    const fits = (type: string): boolean =>
      lists.every((list) => list.some((each) => each === type || (type === "integer" && each === "number")));
    const own = spot.level === 0 ? [] : listGiven(facets).filter((each) => typesOf(each).some(fits));
    if (own.length > 0) return own.find((each) => each !== null) ?? null;
    const isObject = facets.some(({ properties, required }) => properties ?? required);
    const type = ORDER.find((each) => lists.length > 0 && fits(each)) ?? (isObject ? "object" : "string");
    if (type === "object") return makeObject(facets, spot.level);
    if (type === "array") return makeList(facets, spot);
    if (type === "integer" || type === "number")
      return makeNumber(facets, !lists.every((list) => list.includes("number")));
    if (type === "null") return null;
    return type === "boolean" || makeText(facets, spot.name);
  };
  return makeValue;
}

const ORDER = ["object", "string", "integer", "number", "boolean", "array", "null"];

const typesOf = (value: unknown): readonly string[] => {
  if (value === null || Array.isArray(value)) return [value === null ? "null" : "array"];
  return typeof value === "number" ? [Number.isInteger(value) ? "integer" : "number"] : [typeof value];
};

/** What the schema itself has. */
function listGiven(facets: readonly SchemaObject[]): readonly unknown[] {
  const choices = facets.flatMap((facet) =>
    "const" in facet ? [[facet.const]] : facet.enum === undefined ? [] : [facet.enum],
  );
  const [first, ...others] = choices;
  if (first !== undefined) return first.filter((each) => others.every((list) => list.includes(each)));
  return facets
    .flatMap(({ examples, default: usual }) => [...(Array.isArray(examples) ? examples : []), usual])
    .filter((each) => each !== undefined && typeof each !== "object");
}

function boundsOf(facets: readonly SchemaObject[], what: "Items" | "Length") {
  const min = Math.max(0, ...facets.map((facet) => facet[`min${what}`] ?? 0));
  return { min, max: Math.min(...facets.map((facet) => facet[`max${what}`] ?? Infinity)) };
}

function makeNumber(facets: readonly SchemaObject[], isWhole: boolean): number {
  const [step = isWhole ? 1 : 0] = facets.flatMap(({ multipleOf }) => multipleOf ?? []);
  const beside = step || 0.5;
  const lows = facets.flatMap(({ minimum = -Infinity, exclusiveMinimum = -Infinity }) => [
    minimum,
    exclusiveMinimum + beside,
  ]);
  const highs = facets.flatMap(({ maximum = Infinity, exclusiveMaximum = Infinity }) => [
    maximum,
    exclusiveMaximum - beside,
  ]);
  const value = Math.min(Math.max(1, ...lows), ...highs);
  return step > 0 ? Math.ceil(value / step) * step : value;
}

const BY_FORMAT: Readonly<Record<string, string>> = {
  "date-time": TIMESTAMP_EXAMPLE,
  date: "2026-01-15",
  email: "ada@example.com",
  uri: "https://example.com/1",
  uuid: EXAMPLE_UUID,
};

/** What patterns of catalogs ask for most. */
const TEXTS = [
  ...Object.values(BY_FORMAT),
  ..."abc-1 a_b a.b A1 1.0 1.0.0 09:30 en-US +15550100 #aabbcc /a a/b a:b".split(" "),
  ...[1, 2, 3, 4, 6, 8, 10, 12, 16, 20, 24, 32, 40, 64].flatMap((size) =>
    ["1", "a", "A"].map((sign) => sign.repeat(size)),
  ),
];

function makeText(facets: readonly SchemaObject[], name: string): string {
  const { min, max } = boundsOf(facets, "Length");
  const [format] = facets.flatMap((facet) => BY_FORMAT[facet.format ?? ""] ?? []);
  const text = (format ?? (name || "text")).padEnd(Math.min(min, 10_000), "-").slice(0, max);
  const patterns = facets.flatMap(({ pattern }) => (pattern === undefined ? [] : [linearPattern(pattern)]));
  const fits = (each: string): boolean =>
    each.length >= min && each.length <= max && patterns.every((pattern) => pattern.test(each));
  return [text, ...TEXTS].find(fits) ?? text;
}
