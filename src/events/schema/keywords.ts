/**
 * The keywords of JSON Schema 2020-12: which value each takes, and which of them hold schemas. Everything that walks an
 * operator's schema reads this table, so that no place forgets a keyword. Pure.
 */
import { asMembers } from "../summary.ts";

/** A schema of an operator: any of the standard, checked by `check-schema.ts`. */
export type JsonSchema = boolean | SchemaObject;
type SchemaMap = Readonly<Record<string, JsonSchema>>;

export const TYPE_NAMES = ["object", "array", "string", "number", "integer", "boolean", "null"] as const;

export type TypeName = (typeof TYPE_NAMES)[number];

export interface SchemaObject {
  readonly [keyword: string]: unknown;
  readonly $id?: string;
  readonly $anchor?: string;
  readonly $dynamicAnchor?: string;
  readonly $ref?: string;
  readonly $dynamicRef?: string;
  readonly type?: TypeName | readonly TypeName[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly format?: string;
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly exclusiveMaximum?: number;
  readonly multipleOf?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly uniqueItems?: boolean;
  readonly prefixItems?: readonly JsonSchema[];
  readonly items?: JsonSchema;
  readonly contains?: JsonSchema;
  readonly minContains?: number;
  readonly maxContains?: number;
  readonly unevaluatedItems?: JsonSchema;
  readonly minProperties?: number;
  readonly maxProperties?: number;
  readonly required?: readonly string[];
  readonly properties?: SchemaMap;
  readonly patternProperties?: SchemaMap;
  readonly additionalProperties?: JsonSchema;
  readonly propertyNames?: JsonSchema;
  readonly dependentRequired?: Readonly<Record<string, readonly string[]>>;
  readonly dependentSchemas?: SchemaMap;
  readonly unevaluatedProperties?: JsonSchema;
  readonly $defs?: SchemaMap;
  readonly allOf?: readonly JsonSchema[];
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly not?: JsonSchema;
  readonly if?: JsonSchema;
  readonly then?: JsonSchema;
  readonly else?: JsonSchema;
  /** The operator's own words for a value that is refused: "must be …". */
  readonly "x-message"?: string;
  /** Checks in code, as `Type.Refine` adds them; hidden from JSON. */
  readonly "~refine"?: readonly { check(value: unknown): boolean; error(value: unknown): string }[];
}

/** What may stand behind a keyword. */
export type Kind =
  | "schema"
  | "list of schemas"
  | "schemas by name"
  | "schemas by pattern"
  | "types"
  | "count"
  | "number"
  | "number above 0"
  | "boolean"
  | "text"
  | "pattern"
  | "names"
  | "names by name"
  | "list"
  | "anything";

const BY_KIND: Readonly<Record<Kind, string>> = {
  schema:
    "additionalProperties propertyNames items contains not if then else unevaluatedItems unevaluatedProperties " +
    "contentSchema",
  "list of schemas": "allOf anyOf oneOf prefixItems",
  "schemas by name": "properties dependentSchemas $defs definitions",
  "schemas by pattern": "patternProperties",
  types: "type",
  count: "minItems maxItems minLength maxLength minProperties maxProperties minContains maxContains",
  number: "minimum maximum exclusiveMinimum exclusiveMaximum",
  "number above 0": "multipleOf",
  boolean: "uniqueItems deprecated readOnly writeOnly",
  text:
    "$id $schema $ref $anchor $dynamicRef $dynamicAnchor $comment title description format contentEncoding " +
    "contentMediaType",
  pattern: "pattern",
  names: "required",
  "names by name": "dependentRequired",
  list: "enum examples",
  anything: "const default $vocabulary",
};

export const KEYWORDS: ReadonlyMap<string, Kind> = new Map(
  Object.entries(BY_KIND).flatMap(([kind, words]) => words.split(" ").map((word) => [word, kind as Kind] as const)),
);

export const isSchemaObject = (schema: unknown): schema is SchemaObject =>
  typeof schema === "object" && schema !== null && !Array.isArray(schema);

type Part = readonly [path: readonly string[], part: JsonSchema];

const OF_MANY: ReadonlySet<Kind | undefined> = new Set(["list of schemas", "schemas by name", "schemas by pattern"]);

export const isSchema = (value: unknown): value is JsonSchema => typeof value === "boolean" || isSchemaObject(value);

/** Keywords whose schemas hold for the same value. */
export const SAME_VALUE: ReadonlySet<string> = new Set(
  "allOf anyOf oneOf not if then else dependentSchemas".split(" "),
);

/** The values that are allowed, where the schema itself lists them; otherwise `null`. */
export const listConstants = (schema: JsonSchema): readonly unknown[] | null =>
  isSchemaObject(schema) ? ("const" in schema ? [schema.const] : (schema.enum ?? null)) : null;

/** The schemas right below this one, each with the way to it. Values that are no schemas are passed over. */
export function listParts(schema: SchemaObject): Part[] {
  return Object.entries(schema).flatMap(([keyword, value]): Part[] => {
    const kind = KEYWORDS.get(keyword);
    if (kind === "schema") return isSchema(value) ? [[[keyword], value]] : [];
    if (!OF_MANY.has(kind)) return [];
    return Object.entries(asMembers(value)).flatMap(([name, part]) =>
      isSchema(part) ? [[[keyword, name], part] as const] : [],
    );
  });
}

/**
 * A copy with `change` done to each schema in it, the innermost first; everything else is as it was. `change` gets a
 * schema with its changed parts, and as it was.
 */
export function mapSchemas(
  schema: JsonSchema,
  change: (schema: SchemaObject, original: SchemaObject) => SchemaObject,
): JsonSchema {
  if (!isSchemaObject(schema)) return schema;
  const mapPart = (part: unknown): unknown => (isSchemaObject(part) ? mapSchemas(part, change) : part);
  const mapParts = (parts: unknown): unknown =>
    Array.isArray(parts)
      ? parts.map(mapPart)
      : Object.fromEntries(Object.entries(asMembers(parts)).map(([name, part]) => [name, mapPart(part)]));
  const copied = Object.entries(schema).map(([keyword, value]) => {
    const kind = KEYWORDS.get(keyword);
    if (kind === "schema") return [keyword, mapPart(value)] as const;
    return [keyword, OF_MANY.has(kind) ? mapParts(value) : value] as const;
  });
  return change(Object.fromEntries(copied), schema);
}

/** `/lead/first~1name`: RFC 6901. */
export const toPointer = (path: readonly (string | number)[]): string =>
  path.map((part) => `/${String(part).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");

/** `null` for a text that is no pointer. The empty text is the whole. */
export function parsePointer(pointer: string): readonly string[] | null {
  if (pointer === "") return [];
  if (!/^(?:\/(?:[^~/]|~[01])*)+$/.test(pointer)) return null;
  return pointer
    .slice(1)
    .split("/")
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));
}

/** The value there; `undefined` where there is none. Own members only. */
export function valueAt(value: unknown, path: readonly string[]): unknown {
  let at = value;
  for (const part of path) {
    if (typeof at !== "object" || at === null || !Object.hasOwn(at, part)) return undefined;
    at = (at as Readonly<Record<string, unknown>>)[part];
  }
  return at;
}
