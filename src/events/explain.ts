/**
 * Explains why a schema refused a value: for each place its path, and one sentence with the mistake and what would be
 * right. One explainer serves the built-in types, an operator's, and calls. Runs on refused input, and on records with
 * numbers of more digits than a float has. It never quotes a value, which may be personal data; names of keys are cut.
 * Pure.
 *
 * Its work is bounded: a loop over what others chose takes its `Steps`, or ends at the maximum of errors.
 */
import type { FieldError } from "../domain/problem.ts";
import { countChars, stepsFor } from "../lib/steps.ts";
import {
  choiceFault,
  findOwnFault,
  hasChoice,
  isOfType,
  mustBe,
  type OwnFault,
  readType,
  showNames,
  typeFault,
  type Work,
} from "./faults.ts";
import { FORMATS } from "./formats.ts";
import { nearestName } from "../lib/nearest-name.ts";
import { linearPattern } from "./patterns/linear-pattern.ts";
import { type JsonSchema, isSchemaObject, listConstants, type SchemaObject, type TypeName } from "./schema/keywords.ts";
import { type References, readReferences } from "./schema/references.ts";
import { readShape, type Shape } from "./schema/shape.ts";

/** A caller that made more mistakes learns the others after the first ones are corrected. */
export const FIELD_ERRORS_MAX = 50;

/** Keys are the caller's text: long ones are cut in paths. */
const KEY_CHARS_SHOWN = 64;

export interface Explain {
  /**
   * At most `errorsMax`, one for each place; empty: the schema accepts the value, or has no words for its refusal.
   * `text` is what it was read from, where somebody has it.
   */
  (value: unknown, errorsMax: number, text?: string): readonly FieldError[];
}

/** Once for each schema. A value may come from `parseExactJson`. */
export function createExplain(schema: JsonSchema): Explain {
  const read: ReadSchema = {
    references: readReferences(schema),
    shape: readShape(schema),
    types: new Map(),
    tags: new Map(),
    known: new Map(),
  };
  return (value, errorsMax, text = "") => {
    const walk: Walk = { ...read, steps: stepsFor(text.length || countChars(value)), isTold: true };
    const errors = explain(walk, { schema, value, path: "", max: errorsMax });
    const byPath = new Map<string, FieldError>();
    for (const { path, message } of errors) byPath.getOrInsert(path, { path, message });
    return [...byPath.values()].slice(0, errorsMax);
  };
}

interface ReadSchema {
  readonly references: References;
  readonly shape: Shape;
  readonly types: Map<JsonSchema, readonly TypeName[]>;
  readonly tags: Map<JsonSchema, readonly Tag[]>;
  readonly known: Map<SchemaObject, KnownNames>;
}

/** A member that must have one of the values that its schema lists. */
type Tag = readonly [name: string, part: SchemaObject];

interface Walk extends ReadSchema, Work {}

interface Spot {
  readonly schema: JsonSchema;
  readonly value: unknown;
  readonly path: string;
  /** No more errors are of use. */
  readonly max: number;
}

type Found = FieldError & OwnFault;

function explain(walk: Walk, spot: Spot): Found[] {
  const { schema, value, path } = spot;
  if (schema === true || !walk.steps.take(1)) return [];
  if (schema === false) return [{ path, message: "must be left out" }];
  const own = findOwnFault(walk, schema, value);
  if (own !== null) return [{ path, ...own }];
  const errors: Found[] = [];
  for (const step of STEPS) {
    if (errors.length >= spot.max) break;
    errors.push(...step(walk, { ...spot, schema, max: spot.max - errors.length }));
  }
  // Code checks a value only when everything else about it is right.
  const refused = errors.length === 0 ? schema["~refine"]?.find(({ check }) => !check(value)) : undefined;
  return refused === undefined ? errors : [{ path, message: refused.error(value) }];
}

type At = Spot & { readonly schema: SchemaObject };
type Step = (walk: Walk, spot: At) => Found[];

const fits = (walk: Walk, schema: JsonSchema, value: unknown): boolean =>
  explain({ ...walk, isTold: false }, { schema, value, path: "", max: 1 }).length === 0;

/** An error that rests on what fits: where the walk has ended early, it may be none. */
const unlessSpent = (walk: Walk, error: Found): Found[] => (walk.steps.isSpent ? [] : [error]);

/* The parts of a value. */

/** In the order of the schema, and then of the value. */
function explainMembers(walk: Walk, spot: At): Found[] {
  const { schema: node, path: above, value: members } = spot;
  if (!isObject(members)) return [];
  const { properties = {}, required = [], dependentSchemas = {} } = node;
  const asked = askedFor(walk, node, members);
  const others = saysOfOthers(node) ? Object.keys(members) : [];
  const names = new Set([...Object.keys(properties), ...required, ...asked.keys(), ...others]);
  if (!walk.steps.take(names.size)) return [];
  const errors: Found[] = [];
  for (const name of names) {
    if (errors.length >= spot.max || walk.steps.isSpent) return errors;
    const path = memberPath(above, name);
    if (!Object.hasOwn(members, name)) {
      const why = required.includes(name) ? demandOf(walk, node, name) : asked.get(name);
      if (why !== undefined) errors.push({ path, message: `is missing${why}` });
      continue;
    }
    const at = { value: members[name], path, max: spot.max - errors.length };
    const schemas = schemasOf(walk, node, name);
    const named = explainName(walk, spot, { name, schemas });
    errors.push(...named, ...(named.length > 0 ? [] : schemas.flatMap((schema) => explain(walk, { ...at, schema }))));
  }
  for (const [name, schema] of Object.entries(dependentSchemas)) {
    if (Object.hasOwn(members, name)) errors.push(...explain(walk, { ...spot, schema }));
  }
  return errors;
}

/** Whether anything is said of members that it does not name. */
const saysOfOthers = ({ additionalProperties, patternProperties, propertyNames }: SchemaObject): boolean =>
  additionalProperties !== undefined || patternProperties !== undefined || propertyNames !== undefined;

/** The names that members ask for which are there, each with the reason. */
function askedFor(walk: Walk, { dependentRequired = {} }: SchemaObject, members: object): ReadonlyMap<string, string> {
  const rules = Object.entries(dependentRequired);
  walk.steps.take(rules.length);
  return new Map(
    rules.flatMap(([name, names]) =>
      Object.hasOwn(members, name) ? names.map((each) => [each, `: ${name} asks for it`] as const) : [],
    ),
  );
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> => readType(value) === "object";

/** A name that is not accepted, or not known. */
function explainName(walk: Walk, { schema: node, value, path: above }: At, { name, schemas }: NamedMember): Found[] {
  const path = memberPath(above, name);
  const { propertyNames = true, properties = {}, additionalProperties } = node;
  const [fault] = explain(walk, { schema: propertyNames, value: name, path, max: 1 });
  if (fault !== undefined) return [{ path, message: `has a name that is not accepted: the name ${fault.message}` }];
  const isUnknown = additionalProperties === false && schemas[0] === false;
  return isUnknown ? [{ path, message: unknownField(walk, name, { known: Object.keys(properties), value }) }] : [];
}

interface NamedMember {
  readonly name: string;
  readonly schemas: readonly JsonSchema[];
}

/** All that hold for a member of that name. */
function schemasOf(walk: Walk, node: SchemaObject, name: string): readonly JsonSchema[] {
  const { properties = {}, patternProperties = {}, additionalProperties = true } = node;
  walk.steps.take(Object.keys(patternProperties).length);
  const named = Object.hasOwn(properties, name) ? [properties[name] ?? true] : [];
  const byPattern = Object.entries(patternProperties).filter(([pattern]) =>
    linearPattern(pattern).test(name, walk.steps),
  );
  const known = [...named, ...byPattern.map(([, schema]) => schema)];
  return known.length > 0 ? known : [additionalProperties];
}

/** For a member that is missing: what it must be, in words. */
function demandOf({ shape, isTold }: Walk, node: SchemaObject, name: string): string {
  if (!isTold) return "";
  const place = shape.findMember(shape.placeOf([node]), name);
  if (place === null) return "";
  const note = (keyword: string): unknown => shape.annotation(place, keyword);
  const [choices, types, words] = [shape.choicesOf(place), shape.typesOf(place), note("x-message")];
  const format = types.join(",") === "string" ? FORMATS.get(note("format")) : undefined;
  if (typeof words === "string") return `: ${words}`;
  if (choices !== null) return `: ${choiceFault(choices, undefined)}`;
  if (format !== undefined) return `: must be ${format.words}`;
  if (types.length === 0 || types.length >= 6) return "";
  return `: ${mustBe(types, { minimum: note("minimum"), maximum: note("maximum") } as SchemaObject)}`;
}

function explainItems(walk: Walk, { schema: node, value: items, path, max }: At): Found[] {
  if (!Array.isArray(items)) return [];
  const { prefixItems = [], items: others = true, contains, minContains = 1, maxContains = Infinity } = node;
  const errors: Found[] = [];
  for (const [index, value] of items.entries()) {
    if (errors.length >= max || walk.steps.isSpent) return errors;
    const schema = prefixItems[index] ?? others;
    errors.push(...explain(walk, { schema, value, path: `${path}[${index}]`, max: max - errors.length }));
  }
  const fitting = contains === undefined ? minContains : items.filter((item) => fits(walk, contains, item)).length;
  const isWrong = contains !== undefined && (fitting < minContains || fitting > maxContains);
  const bound = fitting < minContains ? `at least ${minContains}` : `at most ${maxContains}`;
  const message = `must have ${bound} of the items that the schema describes (contains), not ${fitting}`;
  return isWrong ? [...errors, ...unlessSpent(walk, { path, message })] : errors;
}

/* Schemas that hold for the same value. */

function explainSame(walk: Walk, spot: At): Found[] {
  const { $ref, $dynamicRef, allOf = [], if: condition } = spot.schema;
  const targets = [$ref, $dynamicRef].flatMap((reference) =>
    reference === undefined ? [] : [walk.references.resolve(spot.schema, reference) ?? true],
  );
  const { then = true, else: otherwise = true } = spot.schema;
  const conditional = condition === undefined ? [] : [fits(walk, condition, spot.value) ? then : otherwise];
  return [...targets, ...allOf, ...conditional].flatMap((schema) => explain(walk, { ...spot, schema }));
}

function explainNot(walk: Walk, { path, schema, value }: At): Found[] {
  const { not } = schema;
  if (not === undefined || !fits(walk, not, value)) return [];
  if (!walk.isTold) return [{ path, message: "" }];
  const {
    required = [],
    const: only,
    enum: values = only === undefined ? [] : [only],
  } = isSchemaObject(not) ? not : {};
  const names = Object.keys(not).length === 1 ? required : [];
  const ours =
    values.length > 0
      ? `must not be ${showNames(
          values.map((each) => JSON.stringify(each)),
          " or ",
        )}`
      : names.length > 0
        ? `must not have ${showNames(names, " together with ")}`
        : "has a form that the schema excludes (not)";
  return unlessSpent(walk, { path, message: schema["x-message"] ?? ours });
}

function explainAlternatives(walk: Walk, spot: At): Found[] {
  const { anyOf, oneOf } = spot.schema;
  const any = anyOf === undefined ? [] : explainList(walk, spot, { list: anyOf, fitMax: Infinity });
  return oneOf === undefined ? any : [...any, ...explainList(walk, spot, { list: oneOf, fitMax: 1 })];
}

interface Alternatives {
  readonly list: readonly JsonSchema[];
  readonly fitMax: number;
}

/**
 * Of the alternatives for the value's type, those are passed over that a required constant excludes: the value names
 * another one, as `kind` often does. The only one that is left is explained at once, so that levels do not multiply.
 */
function explainList(walk: Walk, spot: At, { list, fitMax }: Alternatives): Found[] {
  const { value, path } = spot;
  if (!walk.steps.take(list.length)) return [];
  const ofType = list.filter((schema) => typesOf(walk, schema).some((type) => isOfType(type, value)));
  const open = ofType.filter((schema) => findExcluding(walk, schema, value) === undefined);
  const fitting = open.length === 1 ? 0 : open.filter((schema) => fits(walk, schema, value)).length;
  if (fitting > 0 && fitting <= fitMax) return [];
  if (fitting > 0) {
    const message = `fits ${fitting} of the ${list.length} forms that it may have, and must fit exactly one (oneOf)`;
    return unlessSpent(walk, { path, message });
  }
  if (!walk.isTold && open.length !== 1) return [{ path, message: "" }];
  if (ofType.length === 0) return [{ path, message: typeFault(typesOf(walk, { anyOf: list }), {}, value) }];
  const errors = open.length > 0 ? explainNearest(walk, spot, open) : explainExcluded(walk, spot, ofType);
  return value === "" && list.some((schema) => typesOf(walk, schema).includes("null"))
    ? errors.map((error) => ({ ...error, message: `${error.message}, or null when there is none` }))
    : errors;
}

/** What the shape says of a part is kept: it walks through it each time. */
const typesOf = ({ shape, types }: Walk, schema: JsonSchema): readonly TypeName[] =>
  types.getOrInsertComputed(schema, () => shape.typesOf(shape.placeOf([schema])));

/** The first required constant that the value does not have. */
function findExcluding(walk: Walk, schema: JsonSchema, value: unknown): Tag | undefined {
  if (!isObject(value)) return undefined;
  const tags = walk.tags.getOrInsertComputed(schema, () => readTags(walk.references, schema));
  return tags.find(([name, part]) => {
    const type = Object.hasOwn(value, name) ? readType(value[name]) : null;
    // To compare one that has parts takes a walk through it, for each alternative.
    return type === null || (type !== "object" && type !== "array" && !hasChoice(part, value[name]));
  });
}

function readTags(references: References, schema: JsonSchema): readonly Tag[] {
  if (!isSchemaObject(schema)) return [];
  const { $ref, required = [], properties = {} } = schema;
  const tags = required.flatMap((name): Tag[] => {
    const part = Object.hasOwn(properties, name) ? properties[name] : undefined;
    return isSchemaObject(part) && listConstants(part) !== null ? [[name, part]] : [];
  });
  return $ref === undefined ? tags : [...tags, ...readTags(references, references.resolve(schema, $ref) ?? true)];
}

/** For a value that no constant leads to an alternative; where one member would, it is told what that may be. */
function explainExcluded(walk: Walk, spot: At, list: readonly JsonSchema[]): Found[] {
  const tags = list.flatMap((schema) => [findExcluding(walk, schema, spot.value) ?? []]);
  const [[name = ""] = []] = tags;
  if (tags.some(([other]) => other !== name)) return explainNearest(walk, spot, list);
  const choices = [...new Set(tags.flatMap(([, part = true]) => listConstants(part) ?? []))];
  const fault = choiceFault(choices, undefined);
  const message = Object.hasOwn(Object(spot.value), name) ? fault : `is missing: ${fault}`;
  return [{ path: memberPath(spot.path, name), message, choices }];
}

/** Explains the alternative that the value is nearest to: those are far whose choices it has none of. */
function explainNearest(walk: Walk, spot: At, list: readonly JsonSchema[]): Found[] {
  const explained = list.map((schema) => explain(walk, { ...spot, schema }));
  if (list.length === 1) return explained.flat();
  const chosen = explained.map((errors) => errors.find(({ choices }) => choices !== undefined));
  const [first] = chosen;
  if (first !== undefined && chosen.every((error) => error?.path === first.path)) {
    const choices = [...new Set(chosen.flatMap((error) => error?.choices ?? []))];
    return [{ path: first.path, message: choiceFault(choices, undefined), choices }];
  }
  const isFar = (errors: readonly Found[]): number => Number(errors.some(({ choices }) => choices !== undefined));
  const [nearest = []] = explained.toSorted((one, other) => isFar(one) - isFar(other) || one.length - other.length);
  return nearest;
}

/** Names that no part of the schema knows. A part that does not apply may know a name: then there are no words here. */
function explainUnevaluated(walk: Walk, { schema, value, path, max }: At): Found[] {
  if (schema.unevaluatedProperties !== false || !isObject(value)) return [];
  const { names, patterns, isOpen } = walk.known.getOrInsertComputed(schema, () => readKnown(walk.shape, schema));
  const errors: Found[] = [];
  for (const name of isOpen ? [] : Object.keys(value)) {
    if (errors.length >= max || !walk.steps.take(1 + patterns.length)) break;
    if (names.has(name) || patterns.some((pattern) => linearPattern(pattern).test(name, walk.steps))) continue;
    errors.push({ path: memberPath(path, name), message: unknownField(walk, name, { known: [...names], value }) });
  }
  return errors;
}

interface KnownNames {
  readonly names: ReadonlySet<string>;
  readonly patterns: readonly string[];
  /** A part says what every other member is. */
  readonly isOpen: boolean;
}

function readKnown(shape: Shape, schema: SchemaObject): KnownNames {
  const place = shape.placeOf([schema]);
  const facets = shape.facetsOf(place);
  return {
    names: new Set(shape.namesOf(place)),
    patterns: facets.flatMap(({ patternProperties = {} }) => Object.keys(patternProperties)),
    isOpen: facets.some(({ additionalProperties: others }) => isSchemaObject(others)),
  };
}

const STEPS: readonly Step[] = [
  explainSame,
  explainMembers,
  explainItems,
  explainAlternatives,
  explainNot,
  explainUnevaluated,
];

interface Among {
  readonly known: readonly string[];
  readonly value: unknown;
}

/** Suggests only absent fields: the caller did not mean a second `email`. */
function unknownField(walk: Walk, key: string, { known, value }: Among): string {
  if (!walk.isTold || !walk.steps.take(known.length)) return "is not a known field";
  const absent = known.filter((name) => !Object.hasOwn(value as object, name));
  const nearest = nearestName(key, absent);
  if (nearest !== undefined) return `is not a known field; did you mean ${nearest}?`;
  return `is not a known field; known here are ${showNames(known)}`;
}

/** `lead.email`; a key that does not read as a name stands in brackets and quotes: `utm_params["a b"]`. */
export function memberPath(path: string, key: string): string {
  const shown = key.length > KEY_CHARS_SHOWN ? `${key.slice(0, KEY_CHARS_SHOWN)}…` : key;
  if (!/^[\w-]+…?$/.test(shown)) return `${path}[${JSON.stringify(shown)}]`;
  return path === "" ? shown : `${path}.${shown}`;
}
