/**
 * The formats that are asserted in an operator's schema, as the built-in types read them; every other format is a note
 * for readers. Pure.
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

/** The schema as the compiler takes it: it knows more formats than we assert, and reads some of ours otherwise. */
export const withOurFormats = (schema: JsonSchema): JsonSchema =>
  mapSchemas(schema, ({ format, ...rest }) => {
    const ours = FORMATS.get(format);
    const fits = (value: unknown) => typeof value !== "string" || ours?.test(value) === true;
    return ours === undefined ? rest : { ...rest, "~refine": [{ check: fits, error: () => "" }] };
  });
