/**
 * Explains why an operator's schema refused a record, in the words of the built-in types: for each place its path, and
 * one sentence with the mistake and what would be right. Runs on refused input, and on records with numbers of more
 * digits than a float has: it compares numbers as they are written. Its work is bounded. Pure.
 */
import Guard from "typebox/guard";
import { compareDecimals, isWhole } from "../../domain/decimal.ts";
import type { FieldError } from "../../domain/problem.ts";
import { findPasted } from "../../lib/pasted.ts";
import { writtenNumber } from "../exact-json.ts";
import { NUMBER_CHARS_MAX } from "../exact-numbers.ts";
import { memberPath, unknownField } from "../explain.ts";
import { findFault, mustBe, typeFault } from "../faults.ts";
import { nearestName } from "../nearest-name.ts";
import type { SchemaNode, TypeName } from "../schema-node.ts";
import { FORMATS } from "./formats.ts";
import { type JsonSchema, type SchemaObject, isSchemaObject } from "../schema/keywords.ts";
import { type References, readReferences } from "../schema/references.ts";
import { readShape, type Shape } from "../schema/shape.ts";

/** Guess: a second of work at most. Alternatives in alternatives multiply. */
const STEPS_MAX = 200_000;

export interface Explain {
  /** At most `errorsMax`, one for each place; empty: the schema accepts the value, or has no words for its refusal. */
  (value: unknown, errorsMax: number): readonly FieldError[];
}

/** Once for each schema. A value may come from `parseExactJson`. */
export function createExplain(schema: JsonSchema): Explain {
  const [references, shape] = [readReferences(schema), readShape(schema)];
  return (value, errorsMax) => {
    const walk: Walk = { references, shape, stepsLeft: STEPS_MAX };
    const errors = explain(walk, { schema, value, path: "", max: errorsMax });
    const byPath = new Map<string, FieldError>();
    for (const { path, message } of errors) byPath.getOrInsert(path, { path, message });
    return [...byPath.values()].slice(0, errorsMax);
  };
}

interface Walk {
  readonly references: References;
  readonly shape: Shape;
  stepsLeft: number;
}

interface Spot {
  readonly schema: JsonSchema;
  readonly value: unknown;
  readonly path: string;
  /** No more errors are of use. */
  readonly max: number;
}

/** With `choices`, the value is none of the values that may stand there: another alternative may be meant. */
interface Found extends FieldError {
  readonly choices?: readonly unknown[];
}

function explain(walk: Walk, spot: Spot): Found[] {
  const { schema, value, path } = spot;
  if (schema === true || (walk.stepsLeft -= 1) < 0) return [];
  if (schema === false) return [{ path, message: "must be left out" }];
  const own = findOwnFault(schema, value);
  if (own !== null) return [{ path, ...own }];
  const errors: Found[] = [];
  for (const step of STEPS) {
    if (errors.length >= spot.max) break;
    errors.push(...step(walk, { ...spot, schema, max: spot.max - errors.length }));
  }
  return errors;
}

type At = Spot & { readonly schema: SchemaObject };
type Step = (walk: Walk, spot: At) => Found[];

const fits = (walk: Walk, schema: JsonSchema, value: unknown): boolean =>
  explain(walk, { schema, value, path: "", max: 1 }).length === 0;

/* The value in itself. */

function findOwnFault(node: SchemaObject, value: unknown): Omit<Found, "path"> | null {
  const types = node.type === undefined ? null : toTypes(node.type);
  const given = readType(value);
  if (types !== null && !types.some((type) => type === given || (type === "number" && given === "integer"))) {
    return { message: node["x-message"] ?? typeFault(toUnion(types), toPlain(value)) };
  }
  const choices = "const" in node ? [node.const] : node.enum;
  if (choices !== undefined && !choices.some((choice) => isSame(choice, value))) {
    return { message: choiceFault(choices, value), choices };
  }
  const message = numberFault(node, value) ?? stringFault(node, value) ?? countFault(node, value);
  return message === null ? null : { message };
}

const toTypes = (type: NonNullable<SchemaObject["type"]>): readonly TypeName[] =>
  typeof type === "string" ? [type] : type;

/** The digits of a number; `undefined` for every other value. */
const digitsOf = (value: unknown): string | undefined =>
  writtenNumber(value) ?? (typeof value === "number" ? `${value}` : undefined);

function readType(value: unknown): TypeName {
  const digits = digitsOf(value);
  if (digits !== undefined) return isWhole(digits) ? "integer" : "number";
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : (typeof value as TypeName);
}

const toUnion = (types: readonly TypeName[]): SchemaNode => ({ anyOf: types.map((type) => ({ type })) });

const toPlain = (value: unknown): unknown =>
  typeof value === "object" && value !== null ? JSON.parse(JSON.stringify(value)) : value;

function isSame(choice: unknown, value: unknown): boolean {
  const written = writtenNumber(value);
  if (written !== undefined) return typeof choice === "number" && compareDecimals(written, `${choice}`) === 0;
  return choice === value || Guard.IsDeepEqual(choice, toPlain(value));
}

function choiceFault(choices: readonly unknown[], value: unknown): string {
  if (choices.length === 1) return `must be ${JSON.stringify(choices[0])}`;
  const names = choices.filter((choice) => typeof choice === "string");
  const near = typeof value === "string" ? nearestName(value, names) : undefined;
  const shown = choices.map((choice) => (typeof choice === "string" ? choice : JSON.stringify(choice)));
  return `must be one of ${shown.join(", ")}${near === undefined ? "" : `; did you mean ${near}?`}`;
}

function numberFault(node: SchemaObject, value: unknown): string | null {
  const digits = digitsOf(value);
  if (digits === undefined) return null;
  if (!Number.isFinite(Number(digits))) return "must be a number between -1.8e308 and 1.8e308";
  if (digits.length > NUMBER_CHARS_MAX) return `must be a number of at most ${NUMBER_CHARS_MAX} characters`;
  const { minimum, maximum, exclusiveMinimum: above, exclusiveMaximum: below, multipleOf } = node;
  const compare = (limit: number): number => compareDecimals(digits, `${limit}`);
  if ((minimum !== undefined && compare(minimum) < 0) || (maximum !== undefined && compare(maximum) > 0)) {
    const limits = { ...(minimum === undefined ? {} : { minimum }), ...(maximum === undefined ? {} : { maximum }) };
    return node["x-message"] ?? mustBe({ type: node.type === "integer" ? "integer" : "number", ...limits });
  }
  if (above !== undefined && compare(above) <= 0) return `must be a number above ${above}`;
  if (below !== undefined && compare(below) >= 0) return `must be a number below ${below}`;
  const isMultiple = multipleOf === undefined || Guard.IsMultipleOf(Number(digits), multipleOf);
  return isMultiple ? null : `must be a multiple of ${multipleOf}`;
}

function stringFault(node: SchemaObject, value: unknown): string | null {
  if (typeof value !== "string") return null;
  const { minLength = 0, maxLength = Infinity, pattern } = node;
  const length = findFault({ type: "string", minLength, maxLength }, value);
  if (length !== undefined) return length;
  const format = FORMATS.get(node.format);
  const isInPattern = pattern === undefined || new RegExp(pattern, "u").test(value);
  if (isInPattern && format?.test(value) !== false) return null;
  const demand = node["x-message"] ?? (isInPattern ? `must be ${format?.words}` : `must match the pattern ${pattern}`);
  // Such a character is invisible, and the value looks right.
  const pasted = findPasted(value, { kind: "words", isSecret: true });
  return pasted === null ? demand : `${demand}; it ${pasted.fault}`;
}

function countFault(node: SchemaObject, value: unknown): string | null {
  const judge = (noun: string, given: number, [min = 0, max = Infinity]: readonly (number | undefined)[]) => {
    const words = (amount: number): string => `${amount} ${noun}${amount === 1 ? "" : "s"}, not ${given}`;
    if (given < min) return `must have at least ${words(min)}`;
    return given > max ? `must have at most ${words(max)}` : null;
  };
  if (Array.isArray(value)) {
    const isTwice = node.uniqueItems === true && new Set(value.map(toSorted)).size < value.length;
    return (
      judge("item", value.length, [node.minItems, node.maxItems]) ?? (isTwice ? "must not have an item twice" : null)
    );
  }
  if (readType(value) !== "object") return null;
  return judge("field", Object.keys(value as object).length, [node.minProperties, node.maxProperties]);
}

/** Texts of two values are the same if the values are. */
const toSorted = (value: unknown): string =>
  JSON.stringify(toPlain(value), (_, part: unknown) =>
    isSchemaObject(part) ? Object.fromEntries(Object.entries(part).toSorted(([a], [b]) => (a < b ? -1 : 1))) : part,
  );

/* The parts of a value. */

function explainMembers(walk: Walk, spot: At): Found[] {
  const { schema: node, path, value: members } = spot;
  if (!isObject(members)) return [];
  const errors: Found[] = [];
  const ask = (names: readonly string[], why: (name: string) => string): void => {
    for (const name of names) {
      if (!Object.hasOwn(members, name))
        errors.push({ path: memberPath(path, name), message: `is missing${why(name)}` });
    }
  };
  ask(node.required ?? [], (name) => demandOf(walk, node, name));
  for (const [name, names] of Object.entries(node.dependentRequired ?? {})) {
    if (Object.hasOwn(members, name)) ask(names, () => `: ${name} asks for it`);
  }
  for (const [name, value] of Object.entries(members)) {
    if (errors.length >= spot.max) return errors;
    const at = { value, path: memberPath(path, name), max: spot.max - errors.length };
    errors.push(...explainName(walk, spot, name));
    for (const schema of schemasOf(node, name)) errors.push(...explain(walk, { ...at, schema }));
  }
  for (const [name, schema] of Object.entries(node.dependentSchemas ?? {})) {
    if (Object.hasOwn(members, name)) errors.push(...explain(walk, { ...spot, schema }));
  }
  return errors;
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> => readType(value) === "object";

/** A name that is not accepted, or not known. */
function explainName(walk: Walk, { schema: node, value, path: above }: At, name: string): Found[] {
  const path = memberPath(above, name);
  const { propertyNames = true, properties = {}, additionalProperties } = node;
  const [fault] = explain(walk, { schema: propertyNames, value: name, path, max: 1 });
  if (fault !== undefined) return [{ path, message: `has a name that is not accepted: the name ${fault.message}` }];
  const isUnknown = additionalProperties === false && schemasOf(node, name)[0] === false;
  return isUnknown ? [{ path, message: unknownField(name, properties, value as object) }] : [];
}

/** All that hold for a member of that name. */
function schemasOf(node: SchemaObject, name: string): readonly JsonSchema[] {
  const { properties = {}, patternProperties = {}, additionalProperties = true } = node;
  const named = Object.hasOwn(properties, name) ? [properties[name] ?? true] : [];
  const byPattern = Object.entries(patternProperties).filter(([pattern]) => new RegExp(pattern, "u").test(name));
  const known = [...named, ...byPattern.map(([, schema]) => schema)];
  return known.length > 0 ? known : [additionalProperties];
}

/** For a member that is missing: its type, in words. */
function demandOf({ shape }: Walk, node: SchemaObject, name: string): string {
  const place = shape.findMember(shape.placeOf([node]), name);
  if (place === null) return "";
  const words = shape.annotation(place, "x-message");
  const choices = shape.annotation(place, "enum");
  const types = shape.typesOf(place);
  const format = types.join(",") === "string" ? FORMATS.get(shape.annotation(place, "format")) : undefined;
  if (typeof words === "string") return `: ${words}`;
  if (Array.isArray(choices)) return `: ${choiceFault(choices, undefined)}`;
  if (format !== undefined) return `: must be ${format.words}`;
  return types.length === 0 || types.length >= 6 ? "" : `: ${mustBe(toUnion(types))}`;
}

function explainItems(walk: Walk, { schema: node, value: items, path, max }: At): Found[] {
  if (!Array.isArray(items)) return [];
  const { prefixItems = [], items: others = true, contains, minContains = 1, maxContains = Infinity } = node;
  const errors: Found[] = [];
  for (const [index, value] of items.entries()) {
    if (errors.length >= max) return errors;
    const schema = prefixItems[index] ?? others;
    errors.push(...explain(walk, { schema, value, path: `${path}[${index}]`, max: max - errors.length }));
  }
  const fitting = contains === undefined ? minContains : items.filter((item) => fits(walk, contains, item)).length;
  const isWrong = contains !== undefined && (fitting < minContains || fitting > maxContains);
  const bound = fitting < minContains ? `at least ${minContains}` : `at most ${maxContains}`;
  const message = `must have ${bound} of the items that the schema describes (contains), not ${fitting}`;
  return isWrong ? [...errors, { path, message }] : errors;
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
  const {
    required = [],
    const: only,
    enum: values = only === undefined ? [] : [only],
  } = isSchemaObject(not) ? not : {};
  const names = Object.keys(not).length === 1 ? required : [];
  const ours =
    values.length > 0
      ? `must not be ${values.map((each) => JSON.stringify(each)).join(" or ")}`
      : names.length > 0
        ? `must not have ${names.join(" together with ")}`
        : "has a form that the schema excludes (not)";
  return [{ path, message: schema["x-message"] ?? ours }];
}

function explainAlternatives(walk: Walk, spot: At): Found[] {
  const { anyOf, oneOf } = spot.schema;
  const isFit = (schema: JsonSchema) => fits(walk, schema, spot.value);
  const errors = anyOf === undefined || anyOf.some(isFit) ? [] : explainNone(walk, spot, anyOf);
  const fitting = oneOf?.filter(isFit).length ?? 1;
  if (oneOf === undefined || fitting === 1) return errors;
  if (fitting === 0) return [...errors, ...explainNone(walk, spot, oneOf)];
  const message = `fits ${fitting} of the ${oneOf.length} forms that it may have, and must fit exactly one (oneOf)`;
  return [...errors, { path: spot.path, message }];
}

/**
 * For a value that fits no alternative: those of its type are explained, and of them the one that it is nearest to. An
 * alternative is far when the value names another one, as `kind` often does.
 */
function explainNone(walk: Walk, spot: At, list: readonly JsonSchema[]): Found[] {
  const { shape } = walk;
  const type = readType(spot.value);
  const takes = (name: TypeName): boolean => name === type || (name === "number" && type === "integer");
  const ofType = list.filter((schema) => shape.typesOf(shape.placeOf([schema])).some(takes));
  if (ofType.length === 0) {
    const types = shape.typesOf(shape.placeOf([{ anyOf: list }]));
    return [{ path: spot.path, message: typeFault(toUnion(types), toPlain(spot.value)) }];
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
  return nearest;
}

/** Names that no part of the schema knows. A part that does not apply may know a name: then there are no words here. */
function explainUnevaluated({ shape }: Walk, { schema, value, path }: At): Found[] {
  if (schema.unevaluatedProperties !== false || !isObject(value)) return [];
  const place = shape.placeOf([schema]);
  const known = Object.fromEntries(shape.namesOf(place).map((name) => [name, true]));
  const unknown = Object.keys(value).filter((name) => shape.findMember(place, name) === null);
  return unknown.map((name) => ({ path: memberPath(path, name), message: unknownField(name, known, value) }));
}

const STEPS: readonly Step[] = [
  explainSame,
  explainMembers,
  explainItems,
  explainAlternatives,
  explainNot,
  explainUnevaluated,
];
