/**
 * What a schema says about a record's members, read through references, `allOf` and alternatives: which there are, of
 * which types, and which must be there. The same for built-in types and for declared ones. Where a schema says less
 * than it could, it is taken at its widest. Pure.
 */
import type { TSchema } from "typebox";
import { linearPattern } from "../patterns/linear-pattern.ts";
import { type JsonSchema, type SchemaObject, isSchemaObject, TYPE_NAMES, type TypeName } from "./keywords.ts";
import { type References, readReferences } from "./references.ts";

/** Guess, above every event that people read. It ends the walk of a schema that contains itself. */
const DEPTH_MAX = 16;

/** A place in a record, by the schemas that speak of it. */
export interface Place {
  /** All of these hold there. */
  readonly definite: readonly JsonSchema[];
  /** These hold for some records, as an alternative does. */
  readonly possible: readonly JsonSchema[];
  /** It is in every record that has what is above it. */
  readonly isRequired: boolean;
}

export interface Shape {
  readonly root: Place;
  /** The place where all of these hold. */
  placeOf(schemas: readonly JsonSchema[]): Place;
  /** `null`: the schema does not know the name. In an array a number names an item. */
  findMember(place: Place, name: string): Place | null;
  /** What an array's items are; `null` where the schema says nothing of them. */
  findItems(place: Place): Place | null;
  /** In the order of `TYPE_NAMES`. "number" covers whole ones. */
  typesOf(place: Place): readonly TypeName[];
  /** The names that the schema gives to members, in its order. */
  namesOf(place: Place): readonly string[];
  /** The first keyword of that name. */
  annotation(place: Place, keyword: string): unknown;
  /** All that the schema says there, for every value or for some. */
  facetsOf(place: Place): readonly SchemaObject[];
  /** The values that it may have, where the schema lists them all; otherwise `null`. */
  choicesOf(place: Place): readonly unknown[] | null;
}

const placeOf = (definite: readonly JsonSchema[]): Place => ({ definite, possible: [], isRequired: true });

export function readShape(root: JsonSchema | TSchema): Shape {
  // TypeBox's schemas are JSON Schema, and their type does not say so.
  const rootSchema = root as JsonSchema;
  const references = readReferences(rootSchema);
  const facets = (schemas: readonly JsonSchema[]) => schemas.flatMap((schema) => facetsOf(references, schema));
  const wide = (place: Place): SchemaObject[] => widen(references, [...place.definite, ...place.possible]);
  const below = (place: Place, read: (facet: SchemaObject) => readonly JsonSchema[], isSure: boolean) => {
    const sure = new Set(facets(place.definite));
    const definite = [...sure].flatMap(read);
    const possible = wide(place).flatMap((facet) => (sure.has(facet) ? [] : read(facet)));
    return definite.length + possible.length === 0 ? null : { definite, possible, isRequired: isSure };
  };
  return {
    root: placeOf([rootSchema]),
    placeOf,
    findMember: (place, name) => below(place, (facet) => memberOf(facet, name), requires(references, place, name)),
    findItems: (place) => {
      const possible = wide(place).flatMap(({ items, prefixItems }) => [...toList(prefixItems), ...toList([items])]);
      return possible.length === 0 ? null : { definite: [], possible, isRequired: false };
    },
    typesOf: (place) => showTypes(placeTypes(references, place)),
    namesOf: (place) => [...new Set(wide(place).flatMap(({ properties }) => Object.keys(toParts(properties))))],
    annotation: (place, keyword) =>
      [...facets(place.definite), ...wide(place)].map((facet) => facet[keyword]).find((value) => value !== undefined),
    facetsOf: wide,
    choicesOf: ({ definite, possible }) =>
      definite.length > 0 ? choicesOf(references, { allOf: definite }, 0) : allChoices(references, possible, 0),
  };
}

function requires(references: References, { definite, possible }: Place, name: string): boolean {
  const asks = (schema: JsonSchema) => isRequired({ references, name, depth: 0 }, schema);
  return definite.length > 0 ? definite.some(asks) : possible.length > 0 && possible.every(asks);
}

function placeTypes(references: References, { definite, possible }: Place): ReadonlySet<TypeName> {
  const sets = (definite.length > 0 ? definite : possible).map((schema) => typesOf(references, schema, 0));
  return definite.length > 0 ? sets.reduce((one, other) => one.intersection(other)) : union(sets);
}

const showTypes = (types: ReadonlySet<TypeName>): TypeName[] =>
  TYPE_NAMES.filter((type) => types.has(type) && !(type === "integer" && types.has("number")));

/** With the schemas that hold for some values only. */
function widen(references: References, schemas: readonly JsonSchema[]): SchemaObject[] {
  const met = new Set<SchemaObject>();
  const visit = (schema: JsonSchema): void => {
    for (const facet of facetsOf(references, schema)) {
      if (met.has(facet)) continue;
      met.add(facet);
      for (const part of [...alternatives(facet).flat(), ...sometimes(facet)]) visit(part);
    }
  };
  for (const schema of schemas) visit(schema);
  return [...met];
}

/** The schema objects that all hold there. */
function facetsOf(references: References, schema: JsonSchema): SchemaObject[] {
  const facets = new Set<SchemaObject>();
  const visit = (part: JsonSchema | undefined): void => {
    if (!isSchemaObject(part) || facets.has(part)) return;
    facets.add(part);
    for (const reference of [part.$ref, part.$dynamicRef]) {
      if (typeof reference === "string") visit(references.resolve(part, reference));
    }
    for (const each of toList(part.allOf)) visit(each);
  };
  visit(schema);
  return [...facets];
}

const alternatives = ({ anyOf, oneOf }: SchemaObject): (readonly JsonSchema[])[] =>
  [toList(anyOf), toList(oneOf)].filter((list) => list.length > 0);

/** Schemas that hold for some values. */
const sometimes = (facet: SchemaObject): JsonSchema[] => [
  ...toList([facet.if, facet.then, facet.else]),
  ...Object.values(toParts(facet.dependentSchemas)),
];

function memberOf(facet: SchemaObject, name: string): readonly JsonSchema[] {
  const properties = toParts(facet.properties);
  const item = /^(?:0|[1-9]\d{0,5})$/.test(name) ? [toList(facet.prefixItems)[Number(name)] ?? facet.items] : [];
  const byPattern = Object.entries(toParts(facet.patternProperties))
    .filter(([pattern]) => linearPattern(pattern).test(name))
    .map(([, part]) => part);
  const named = Object.hasOwn(properties, name) ? toList([properties[name]]) : [];
  const known = [...named, ...byPattern, ...toList(item)];
  const { additionalProperties: others } = facet;
  return known.length === 0 && isSchemaObject(others) ? [others] : known;
}

interface Demand {
  readonly references: References;
  readonly name: string;
  readonly depth: number;
}

function isRequired(demand: Demand, schema: JsonSchema): boolean {
  const { references, name, depth } = demand;
  if (depth > DEPTH_MAX) return false;
  // Alternatives that are no objects have no members to ask for.
  const isObject = (part: JsonSchema) => typesOf(references, part, 0).has("object");
  const isInAll = (list: readonly JsonSchema[]) =>
    list.some(isObject) && list.every((part) => !isObject(part) || isRequired({ ...demand, depth: depth + 1 }, part));
  return facetsOf(references, schema).some(
    (facet) => facet.required?.includes(name) === true || alternatives(facet).some(isInAll),
  );
}

function typesOf(references: References, schema: JsonSchema, depth: number): Set<TypeName> {
  if (schema === false) return new Set();
  let types = new Set<TypeName>(TYPE_NAMES);
  if (depth > DEPTH_MAX) return types;
  for (const facet of facetsOf(references, schema)) {
    const { type, enum: values, const: only } = facet;
    if (type !== undefined) types = types.intersection(new Set(toTypes(type)));
    const given = only === undefined ? values : [only];
    if (Array.isArray(given)) types = types.intersection(new Set(given.flatMap(typesOfValue)));
    for (const list of alternatives(facet)) {
      types = types.intersection(union(list.map((part) => typesOf(references, part, depth + 1))));
    }
  }
  return types;
}

function choicesOf(references: References, schema: JsonSchema, depth: number): readonly unknown[] | null {
  if (depth > DEPTH_MAX) return null;
  for (const facet of facetsOf(references, schema)) {
    if (facet.const !== undefined) return [facet.const];
    if (facet.enum !== undefined) return facet.enum;
    if (facet.type === "null") return [null];
    for (const list of alternatives(facet)) {
      const choices = allChoices(references, list, depth + 1);
      if (choices !== null) return choices;
    }
  }
  return null;
}

function allChoices(references: References, parts: readonly JsonSchema[], depth: number): readonly unknown[] | null {
  const lists = parts.map((part) => choicesOf(references, part, depth));
  return lists.some((list) => list === null) ? null : [...new Set(lists.flatMap((list) => list ?? []))];
}

/** A number may be whole, so "number" takes "integer" along. */
const toTypes = (type: unknown): TypeName[] =>
  [type].flat().flatMap((name) => (name === "number" ? ["number", "integer"] : [name])) as TypeName[];

function typesOfValue(value: unknown): TypeName[] {
  if (value === null) return ["null"];
  if (Array.isArray(value)) return ["array"];
  return typeof value === "number" ? [Number.isInteger(value) ? "integer" : "number"] : [typeof value as TypeName];
}

const union = (sets: readonly ReadonlySet<TypeName>[]): Set<TypeName> => new Set(sets.flatMap((set) => [...set]));

const toList = (value: unknown): JsonSchema[] =>
  Array.isArray(value) ? value.filter((part) => isSchemaObject(part) || typeof part === "boolean") : [];

const toParts = (value: unknown): Readonly<Record<string, JsonSchema>> =>
  isSchemaObject(value) ? (value as Readonly<Record<string, JsonSchema>>) : {};
