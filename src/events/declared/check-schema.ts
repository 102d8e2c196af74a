/**
 * Checks that an operator's schema is one: each keyword known and with a value of its kind, each reference leading to a
 * place in the same file. JSON Schema lets unknown keywords pass in silence; here a mistyped one is a fault, because it
 * would check nothing. Names that begin with `x-` are the operator's own. Pure.
 */
import { nearestName } from "../../lib/nearest-name.ts";
import { readPattern } from "../patterns/read-pattern.ts";
import {
  type Kind,
  type SchemaObject,
  isSchema,
  isSchemaObject,
  KEYWORDS,
  listParts,
  toPointer,
  TYPE_NAMES,
} from "../schema/keywords.ts";
import { type References, readReferences } from "../schema/references.ts";
import { findGrowth } from "./check-growth.ts";

export interface Fault {
  /** JSON pointer from the file's root; empty for the file itself. */
  readonly pointer: string;
  /** The end of a sentence: what is wrong, and what would be right. */
  readonly message: string;
}

/** Guess: a person mends some, and then sees the others. */
const FAULTS_MAX = 50;
/** As deep as a record, twice: a level of a record takes two of its schema. */
const DEPTH_MAX = 128;
const DIALECT = "https://json-schema.org/draft/2020-12/schema";

/** Every fault of the schema, at most 50; empty when it can be compiled. */
export function findSchemaFaults(schema: unknown, path: readonly string[]): readonly Fault[] {
  if (!isSchemaObject(schema)) return [{ pointer: toPointer(path), message: "must be a schema: an object" }];
  const faults: Fault[] = [];
  const references = readReferences(schema);
  visit({ references, faults }, schema, path);
  if (faults.length > 0) return faults.slice(0, FAULTS_MAX);
  const growth = findGrowth(schema, references);
  return growth === null ? [] : [{ pointer: toPointer([...path, ...growth.path]), message: growth.message }];
}

interface Walk {
  readonly references: References;
  readonly faults: Fault[];
}

function visit(walk: Walk, schema: SchemaObject, path: readonly string[]): void {
  if (walk.faults.length >= FAULTS_MAX) return;
  if (path.length > DEPTH_MAX) {
    walk.faults.push({ pointer: toPointer(path), message: `is more than ${DEPTH_MAX} levels deep` });
    return;
  }
  for (const keyword of Object.keys(schema)) {
    const message = findKeywordFault(walk, schema, keyword);
    if (message !== null) walk.faults.push({ pointer: toPointer([...path, keyword]), message });
  }
  for (const [at, part] of listParts(schema)) {
    if (isSchemaObject(part)) visit(walk, part, [...path, ...at]);
  }
}

function findKeywordFault(walk: Walk, schema: SchemaObject, keyword: string): string | null {
  const value = schema[keyword];
  const kind = KEYWORDS.get(keyword);
  if (kind === undefined) return keyword.startsWith("x-") ? null : unknownKeyword(keyword);
  const [isRight, demand] = RULES[kind];
  if (!isRight(value)) return (keyword === "items" && OLD_NAMES.get(keyword)) || demand;
  if (kind === "pattern") return findPatternFault(String(value));
  if (kind === "schemas by pattern") {
    for (const pattern of Object.keys(value as object)) {
      const fault = findPatternFault(pattern);
      if (fault !== null) return `has the pattern ${pattern}, which ${fault}`;
    }
  }
  if (keyword === "$schema" && !String(value).startsWith(DIALECT)) return `must be "${DIALECT}", or be left out`;
  if (keyword !== "$ref" && keyword !== "$dynamicRef") return null;
  return walk.references.resolve(schema, String(value)) === undefined ? wrongReference(String(value)) : null;
}

const wrongReference = (reference: string): string =>
  /^[a-z][a-z0-9+.-]*:|^\/\//i.test(reference)
    ? "leads to another document, and none is ever fetched: copy that schema into $defs, and refer to #/$defs/…"
    : "leads to no schema of this file: references are written #/$defs/name";

/** How 2020-12 says what earlier drafts and other languages said. */
const OLD_NAMES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    items: "must be one schema, for all items; a list of schemas stands in prefixItems",
    additionalItems: "is no keyword of JSON Schema 2020-12: items says it, beside prefixItems",
    dependencies: "is no keyword of JSON Schema 2020-12: write dependentRequired or dependentSchemas",
    id: "is no keyword of JSON Schema 2020-12: write $id",
    nullable: 'is no keyword of JSON Schema 2020-12: write "type": ["string", "null"]',
    example: "is no keyword of JSON Schema 2020-12: write examples, a list",
    optional: "is no keyword of JSON Schema 2020-12: a field is optional when required does not list it",
    $recursiveRef: "is no keyword of JSON Schema 2020-12: write $dynamicRef",
    $recursiveAnchor: "is no keyword of JSON Schema 2020-12: write $dynamicAnchor",
  }),
);

function unknownKeyword(keyword: string): string {
  const old = OLD_NAMES.get(keyword);
  if (old !== undefined) return old;
  const near = nearestName(keyword, [...KEYWORDS.keys()]);
  if (near !== undefined) return `is no keyword of JSON Schema 2020-12; did you mean ${near}?`;
  return "is no keyword of JSON Schema 2020-12: a name of your own begins with x-";
}

type Rule = readonly [isRight: (value: unknown) => boolean, demand: string];

const isText = (value: unknown): boolean => typeof value === "string";
const isNumber = (value: unknown): value is number => typeof value === "number" && Number.isFinite(value);
const isNames = (value: unknown): boolean =>
  Array.isArray(value) && value.every(isText) && new Set(value).size === value.length;
const isMap = (value: unknown, isRight: (part: unknown) => boolean): boolean =>
  isSchemaObject(value) && Object.values(value).every(isRight);

function findPatternFault(pattern: string): string | null {
  try {
    new RegExp(pattern, "u");
  } catch (error) {
    const why = (error as Error).message.split(": ").at(-1);
    return `is no regular expression of JavaScript, as it is read with the flag u: ${why}`;
  }
  const read = readPattern(pattern);
  return read.ok ? null : read.error;
}

const RULES: Readonly<Record<Kind, Rule>> = {
  schema: [isSchema, "must be a schema: an object, true or false"],
  "list of schemas": [
    (value) => Array.isArray(value) && value.length > 0 && value.every(isSchema),
    "must be a list of one schema or more",
  ],
  "schemas by name": [(value) => isMap(value, isSchema), "must be an object with a schema for each name"],
  "schemas by pattern": [(value) => isMap(value, isSchema), "must be an object with a schema for each pattern"],
  types: [
    (value) => [value].flat().every((name) => TYPE_NAMES.some((each) => each === name)) && isNames([value].flat()),
    `must be one of ${TYPE_NAMES.join(", ")}, or a list of some`,
  ],
  count: [(value) => Number.isInteger(value) && Number(value) >= 0, "must be a whole number of at least 0"],
  number: [isNumber, "must be a number"],
  "number above 0": [(value) => isNumber(value) && value > 0, "must be a number above 0"],
  boolean: [(value) => typeof value === "boolean", "must be true or false"],
  text: [isText, "must be a string"],
  pattern: [isText, "must be a string: a regular expression of JavaScript"],
  names: [isNames, "must be a list of names, each once"],
  "names by name": [(value) => isMap(value, isNames), "must be an object with a list of names for each name"],
  list: [Array.isArray, "must be a list"],
  anything: [() => true, ""],
};
