/** Schemas made at random, records made from them, and what a validator of other hands says of both: for tests. */
import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import type { JsonSchema, SchemaObject } from "../schema/keywords.ts";
import { FORMATS } from "../formats.ts";

const NAMES = ["a", "b", "c", "long name", "x_1"];
const name = fc.constantFrom(...NAMES);
const small = fc.integer({ min: 0, max: 4 });
const scalar = fc.oneof(fc.constantFrom("", "a", "ab", "AB-12", "😀"), fc.integer({ min: -3, max: 9 }), fc.boolean());
const value: fc.Arbitrary<unknown> = fc.oneof(
  { depthSize: "small" },
  scalar,
  fc.constantFrom(null, 1.5, -0.25, "2026-11-20T12:00:00Z", "ada@example.com", 1e21),
  fc.array(scalar, { maxLength: 4 }),
  fc.dictionary(name, scalar, { maxKeys: 4 }),
);
const optional = <Value>(arb: fc.Arbitrary<Value>) => fc.option(arb, { nil: undefined, freq: 2 });
const keywords = (parts: Readonly<Record<string, fc.Arbitrary<unknown>>>): fc.Arbitrary<JsonSchema> =>
  fc.record(parts).map((schema) => JSON.parse(JSON.stringify(schema)) as JsonSchema);

const { schema: schemaArb } = fc.letrec<{ schema: JsonSchema; leaf: JsonSchema; object: JsonSchema }>((tie) => {
  const some = fc.array(tie("schema"), { minLength: 1, maxLength: 3 });
  const byName = fc.dictionary(name, tie("schema"), { maxKeys: 4 });
  return {
    schema: fc.oneof(
      { depthSize: "small", withCrossShrink: true },
      tie("leaf"),
      tie("object"),
      keywords({
        type: fc.constant("array"),
        items: optional(tie("schema")),
        prefixItems: optional(some),
        minItems: optional(small),
        uniqueItems: optional(fc.boolean()),
      }),
      // Ajv takes an empty list for one that has what it must contain, where it also knows the first items.
      keywords({ type: fc.constant("array"), contains: tie("schema"), minContains: optional(small) }),
      keywords({ anyOf: some }),
      keywords({ oneOf: some }),
      keywords({ allOf: some }),
      keywords({ not: tie("schema") }),
      keywords(Object.fromEntries(["if", "then", "else"].map((keyword) => [keyword, tie("schema")]))),
      keywords({ $ref: fc.constantFrom("#/$defs/one", "#/$defs/two") }),
    ),
    leaf: fc.oneof(
      keywords({
        type: fc.constant("string"),
        minLength: optional(small),
        maxLength: optional(small),
        pattern: optional(fc.constantFrom("^[a-z]*$", "-", "^.$")),
        format: optional(fc.constantFrom("date-time", "email", "hostname")),
      }),
      keywords({
        type: fc.constantFrom("number", "integer", ["integer", "null"], ["number", "string"]),
        minimum: optional(fc.integer({ min: -5, max: 5 })),
        exclusiveMaximum: optional(fc.integer({ min: -5, max: 9 })),
        multipleOf: optional(fc.constantFrom(2, 0.5)),
      }),
      keywords({
        enum: fc.uniqueArray(value, { minLength: 1, maxLength: 3, selector: (each) => JSON.stringify(each) }),
      }),
      keywords({ const: value.filter((each) => each !== undefined) }),
      fc.constantFrom<JsonSchema>(true, false, { type: "boolean" }, { type: "null" }, {}),
    ),
    object: keywords({
      type: optional(fc.constant("object")),
      properties: optional(byName),
      required: optional(fc.uniqueArray(name, { maxLength: 2 })),
      additionalProperties: optional(fc.oneof(fc.constant(false), tie("schema"))),
      patternProperties: optional(fc.dictionary(fc.constantFrom("^x", "a$"), tie("schema"), { maxKeys: 1 })),
      propertyNames: optional(fc.constantFrom({ maxLength: 3 }, { pattern: "^[a-z]" })),
      minProperties: optional(small),
      maxProperties: optional(small),
      dependentRequired: optional(fc.dictionary(name, fc.uniqueArray(name, { maxLength: 2 }), { maxKeys: 2 })),
      dependentSchemas: optional(fc.dictionary(name, tie("schema"), { maxKeys: 1 })),
    }),
  };
});

const recordSchema: fc.Arbitrary<SchemaObject> = fc
  .record({ members: fc.dictionary(name, schemaArb, { maxKeys: 4 }), one: schemaArb, two: schemaArb, more: schemaArb })
  .map(({ members, one, two, more }) => ({
    type: "object" as const,
    required: ["id"],
    properties: { ...members, id: { type: "string" as const } },
    $defs: { one, two: { type: "array" as const, items: two } },
    allOf: [{ anyOf: [more, { required: ["a"] }] }],
  }))
  // A reference of a definition to itself is no schema that ends.
  .filter((schema) => !JSON.stringify(schema.$defs["one"]).includes("#/$defs/one"));

/** Values that a schema may take, more often than chance would. */
function valueOf(schema: JsonSchema | undefined, root: SchemaObject, depth = 0): fc.Arbitrary<unknown> {
  if (depth > 4 || typeof schema !== "object") return value;
  const right = valuesOf(schema, root, depth).flatMap((each) => [each, each]);
  return fc.oneof(...right, value);
}

function valuesOf(schema: SchemaObject, root: SchemaObject, depth: number): fc.Arbitrary<unknown>[] {
  const of = (part: JsonSchema | undefined) => valueOf(part, root, depth + 1);
  const { properties = {}, items, anyOf = [], oneOf = [], allOf = [], $ref, type } = schema;
  if (schema.const !== undefined) return [fc.constant(schema.const)];
  if (schema.enum !== undefined) return [fc.constantFrom(...schema.enum)];
  if ($ref !== undefined) return [of(root.$defs?.[$ref.slice("#/$defs/".length)])];
  if (type === "array") return [fc.array(of(items), { maxLength: 4 })];
  if (type === "object" || schema.properties !== undefined) {
    const members = Object.fromEntries(Object.entries(properties).map(([key, part]) => [key, of(part)]));
    return [fc.record(members, { requiredKeys: [] })];
  }
  return [...anyOf, ...oneOf, ...allOf, schema.then].flatMap((part) => (part === undefined ? [] : [of(part)]));
}

/** A schema of an object with an `id`, and a record that it takes or refuses. */
export const schemaCases = recordSchema.chain((schema) =>
  fc.tuple(
    fc.constant(schema),
    fc.tuple(fc.constantFrom("k1", "k1", "k1", 7), valueOf(schema, schema)).map(([id, members]) => ({
      ...(typeof members === "object" && !Array.isArray(members) ? members : {}),
      id,
    })),
  ),
);

const ajv = new Ajv2020({
  strict: false,
  validateFormats: true,
  unicodeRegExp: true,
  logger: false,
  // Without it 1e21 is no multiple of 0.5: it reads the quotient's text up to the exponent.
  multipleOfPrecision: 6,
});
for (const [format, { test: isRight }] of FORMATS) ajv.addFormat(String(format), isRight);

/** What JSON Schema 2020-12 says, with our formats. The record is read anew: Ajv compares prototypes of objects too. */
export const isTakenByAjv = (schema: SchemaObject, record: unknown): boolean =>
  ajv.compile(schema)(JSON.parse(JSON.stringify(record)));
