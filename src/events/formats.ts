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

export const FORMATS: ReadonlyMap<unknown, Format> = new Map<unknown, Format>([
  [
    "date-time",
    { test: isTimestamp, words: `an ISO 8601 time that exists, with an offset, such as ${TIMESTAMP_EXAMPLE}` },
  ],
  // Lenient on purpose, as for the built-in types.
  ["email", { test: (text) => /^[^\s@]+@[^\s@]+$/.test(text), words: "an e-mail address, such as ada@example.com" }],
  ["uri", { test: (text) => fitsFormat("uri", text), words: "a URI with its scheme, such as https://example.com/a" }],
  ["uuid", { test: (text) => fitsFormat("uuid", text), words: `a UUID, such as ${EXAMPLE_UUID}` }],
]);

/** The others of JSON Schema. */
const ENFORCEABLE = new Set(
  (
    "date time duration hostname idn-hostname idn-email ipv4 ipv6 uri-reference iri iri-reference uri-template " +
    "json-pointer relative-json-pointer regex"
  ).split(" "),
);

/** Guess, above every text that has a form. The work of a check is bounded by it. */
const FORMAT_CHARS_MAX = 8_192;

/** The schema with a check for each format of JSON Schema that is none of ours. */
export const withEveryFormat = (schema: JsonSchema): JsonSchema =>
  mapSchemas(schema, (each) => {
    const { format = "" } = each;
    const check = (value: unknown) =>
      typeof value !== "string" || (value.length <= FORMAT_CHARS_MAX && fitsFormat(format, value));
    if (!ENFORCEABLE.has(format)) return each;
    return { ...each, "~refine": [{ check, error: () => `must be of the format ${format} of JSON Schema` }] };
  });

/** The formats in it that are notes; empty: everything is checked. */
export function listNotes(schema: JsonSchema, isEnforced: boolean): readonly string[] {
  const formats = new Set<string>();
  mapSchemas(schema, (each) => {
    const { format } = each;
    const isChecked = FORMATS.has(format) || (isEnforced && ENFORCEABLE.has(format ?? ""));
    if (format !== undefined && !isChecked) formats.add(format);
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
