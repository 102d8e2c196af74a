/**
 * The formats that are asserted in an operator's schema, as the built-in types read them. Others of JSON Schema are
 * asserted where a declaration says so (`enforce_formats`), and are notes for readers elsewhere. Pure.
 */
import { Test as fitsFormat } from "typebox/format";
import { isTimestamp, TIMESTAMP_EXAMPLE } from "./timestamp.ts";
import { EXAMPLE_UUID } from "./fields.ts";
import { type JsonSchema, mapSchemas } from "./schema/keywords.ts";

interface Format {
  readonly test: (text: string) => boolean;
  /** Behind "must be". */
  readonly words: string;
}

const OURS: readonly (readonly [format: unknown, Format])[] = [
  [
    "date-time",
    { test: isTimestamp, words: `an ISO 8601 time that exists, with an offset, such as ${TIMESTAMP_EXAMPLE}` },
  ],
  // Lenient on purpose, as for the built-in types.
  ["email", { test: (text) => /^[^\s@]+@[^\s@]+$/.test(text), words: "an e-mail address, such as ada@example.com" }],
  ["uri", { test: (text) => fitsFormat("uri", text), words: "a URI with its scheme, such as https://example.com/a" }],
  ["uuid", { test: (text) => fitsFormat("uuid", text), words: `a UUID, such as ${EXAMPLE_UUID}` }],
];

/** The others of JSON Schema. */
const ENFORCEABLE = (
  "date time duration hostname idn-hostname idn-email ipv4 ipv6 uri-reference iri iri-reference uri-template " +
  "json-pointer relative-json-pointer regex"
).split(" ");

/** Guess, above every text that has a form. The work of a check is bounded by it. */
const FORMAT_CHARS_MAX = 8_192;

const ENFORCED = ENFORCEABLE.map((format): (typeof OURS)[number] => {
  const test = (text: string): boolean => text.length <= FORMAT_CHARS_MAX && fitsFormat(format, text);
  return [`enforced ${format}`, { test, words: `of the format ${format} of JSON Schema` }];
});

export const FORMATS: ReadonlyMap<unknown, Format> = new Map([...OURS, ...ENFORCED]);

/** The schema with each format of JSON Schema enforced. */
export const withEveryFormat = (schema: JsonSchema): JsonSchema =>
  mapSchemas(schema, (each) =>
    ENFORCEABLE.includes(each.format ?? "") ? { ...each, format: `enforced ${each.format}` } : each,
  );

/** The formats in it that are notes; empty: everything is checked. */
export function listNotes(schema: JsonSchema): readonly string[] {
  const formats = new Set<string>();
  mapSchemas(schema, (each) => {
    if (each.format !== undefined && !FORMATS.has(each.format)) formats.add(each.format);
    return each;
  });
  return [...formats];
}

/** The schema as the compiler takes it: it knows more formats than we assert, and reads some of ours otherwise. */
export const withOurFormats = (schema: JsonSchema): JsonSchema =>
  mapSchemas(schema, ({ format, ...rest }) => {
    const ours = FORMATS.get(format);
    const fits = (value: unknown) => typeof value !== "string" || ours?.test(value) === true;
    return ours === undefined ? rest : { ...rest, "~refine": [{ check: fits, error: () => "" }] };
  });
