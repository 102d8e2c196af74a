/**
 * Explains why a schema refused a value: for each place its path, and one sentence with the mistake and what would be
 * right. One explainer serves the built-in types, an operator's, and calls. Runs on refused input, and on records with
 * numbers of more digits than a float has. It never quotes a value, which may be personal data; names of keys are cut.
 * Pure.
 *
 * Its work is bounded: a loop over what others chose takes its steps (`takeSteps`), or ends at the maximum of errors.
 */
import type { FieldError } from "../domain/problem.ts";
import {
  choiceFault,
  findOwnFault,
  isOfType,
  mustBe,
  type OwnFault,
  readType,
  showNames,
  takeSteps,
  typeFault,
  type Work,
} from "./faults.ts";
import { FORMATS } from "./formats.ts";
import { nearestName } from "./nearest-name.ts";
import { linearPattern } from "./patterns/linear-pattern.ts";
import { type JsonSchema, type SchemaObject, isSchemaObject, type TypeName } from "./schema/keywords.ts";
import { type References, readReferences } from "./schema/references.ts";
import { readShape, type Shape } from "./schema/shape.ts";

/** A caller that made more mistakes learns the others after the first ones are corrected. */
export const FIELD_ERRORS_MAX = 50;

/** Keys are the caller's text: long ones are cut in paths. */
const KEY_CHARS_SHOWN = 64;

/** Guess: a second of work at most. Alternatives in alternatives multiply. */
const STEPS_MAX = 200_000;

export interface Explain {
  /** At most `errorsMax`, one for each place; empty: the schema accepts the value, or has no words for its refusal. */
  (value: unknown, errorsMax: number): readonly FieldError[];
}

/** Once for each schema. A value may come from `parseExactJson`. */
export function createExplain(schema: JsonSchema): Explain {
  const read: ReadSchema = {
    references: readReferences(schema),
    shape: readShape(schema),
    types: new Map(),
    known: new Map(),
  };
  return (value, errorsMax) => {
    const walk: Walk = { ...read, steps: { left: STEPS_MAX }, isTold: true };
    const errors = explain(walk, { schema, value, path: "", max: errorsMax });
    const byPath = new Map<string, FieldError>();
    for (const { path, message } of errors) byPath.getOrInsert(path, { path, message });
    return [...byPath.values()].slice(0, errorsMax);
  };
}

interface ReadSchema {
  readonly references: References;
  readonly shape: Shape;
  /** What the shape said of a part of the schema: a walk through it each time. */
  readonly types: Map<JsonSchema, readonly TypeName[]>;
  readonly known: Map<SchemaObject, KnownNames>;
}

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
  if (schema === true || !takeSteps(walk, 1)) return [];
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

const isSpent = ({ steps }: Walk): boolean => steps.left < 0;

/** An error that rests on what fits: where the walk has ended early, it may be none. */
const unlessSpent = (walk: Walk, error: Found): Found[] => (isSpent(walk) ? [] : [error]);

/* The parts of a value. */

/** In the order of the schema, and then of the value. */
function explainMembers(walk: Walk, spot: At): Found[] {
  const { schema: node, path: above, value: members } = spot;
  if (!isObject(members)) return [];
  const { properties = {}, required = [], dependentSchemas = {} } = node;
  const asked = askedFor(walk, node, members);
  const names = new Set([...Object.keys(properties), ...required, ...asked.keys(), ...Object.keys(members)]);
  if (!takeSteps(walk, names.size)) return [];
  const errors: Found[] = [];
  for (const name of names) {
    if (errors.length >= spot.max || isSpent(walk)) return errors;
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

/** The names that members ask for which are there, each with the reason. */
function askedFor(walk: Walk, { dependentRequired = {} }: SchemaObject, members: object): ReadonlyMap<string, string> {
  const rules = Object.entries(dependentRequired);
  takeSteps(walk, rules.length);
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
  takeSteps(walk, Object.keys(patternProperties).length);
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
    if (errors.length >= max || isSpent(walk)) return errors;
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
  const isFit = (schema: JsonSchema) => fits(walk, schema, spot.value);
  const errors = anyOf === undefined || anyOf.some(isFit) ? [] : explainNone(walk, spot, anyOf);
  const fitting = oneOf?.filter(isFit).length ?? 1;
  if (oneOf === undefined || fitting === 1) return errors;
  if (fitting === 0) return [...errors, ...explainNone(walk, spot, oneOf)];
  const message = `fits ${fitting} of the ${oneOf.length} forms that it may have, and must fit exactly one (oneOf)`;
  return [...errors, ...unlessSpent(walk, { path: spot.path, message })];
}

/**
 * For a value that fits no alternative: those of its type are explained, and of them the one that it is nearest to. An
 * alternative is far when the value names another one, as `kind` often does.
 */
function explainNone(walk: Walk, spot: At, list: readonly JsonSchema[]): Found[] {
  if (!walk.isTold) return [{ path: spot.path, message: "" }];
  const { shape } = walk;
  const typesOf = (schema: JsonSchema) =>
    walk.types.getOrInsertComputed(schema, () => shape.typesOf(shape.placeOf([schema])));
  const ofType = list.filter((schema) => typesOf(schema).some((type) => isOfType(type, spot.value)));
  if (ofType.length === 0) {
    return [{ path: spot.path, message: typeFault(typesOf({ anyOf: list }), {}, spot.value) }];
  }
  const explained = ofType.map((schema) => explain(walk, { ...spot, schema }));
  const chosen = explained.map((errors) => errors.find(({ choices }) => choices !== undefined));
  const [first] = chosen;
  if (first !== undefined && chosen.every((error) => error?.path === first.path)) {
    const choices = [...new Set(chosen.flatMap((error) => error?.choices ?? []))];
    return [{ path: first.path, message: choiceFault(choices, undefined), choices }];
  }
  const isFar = (errors: readonly Found[]): number => Number(errors.some(({ choices }) => choices !== undefined));
  const [nearest = []] = explained.toSorted((one, other) => isFar(one) - isFar(other) || one.length - other.length);
  const isNullable = spot.value === "" && list.some((schema) => typesOf(schema).includes("null"));
  return isNullable
    ? nearest.map((error) => ({ ...error, message: `${error.message}, or null when there is none` }))
    : nearest;
}

/** Names that no part of the schema knows. A part that does not apply may know a name: then there are no words here. */
function explainUnevaluated(walk: Walk, { schema, value, path, max }: At): Found[] {
  if (schema.unevaluatedProperties !== false || !isObject(value)) return [];
  const { names, patterns, isOpen } = walk.known.getOrInsertComputed(schema, () => readKnown(walk.shape, schema));
  const errors: Found[] = [];
  for (const name of isOpen ? [] : Object.keys(value)) {
    if (errors.length >= max || !takeSteps(walk, 1 + patterns.length)) break;
    if (names.has(name) || patterns.some((pattern) => new RegExp(pattern, "u").test(name))) continue;
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
  if (!walk.isTold || !takeSteps(walk, known.length)) return "is not a known field";
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
