/**
 * The kinds of fields that records share, as schemas with their limits and with the message for a wrong value. The
 * built-in types' files build objects of them. `x-message` holds the message where the keyword alone (a pattern) would
 * not tell a reader what is right; OpenAPI shows it as an extension. `x-format` is the published schema's `format`, for
 * generators of code, and is not checked: validators differ about formats (some accept `urn:uuid:…`), and typebox took
 * 0.7 µs for each time.
 */
import Type from "typebox";
import type { TNumberOptions, TSchema, TSchemaOptions, TStringOptions } from "typebox";
import { DECLARATION_LIMITS } from "./declared/declaration.ts";
import { GIVEN_TIMESTAMP_PATTERN, TIMESTAMP_EXAMPLE, TIMESTAMP_PATTERN } from "./timestamp.ts";

/** Guess, longer than any real name, label or topic. */
export const LABEL_CHARS_MAX = 512;
/** RFC 5321 allows 64 + 1 + 255. */
export const EMAIL_CHARS_MAX = 320;
/** Guess: browsers and proxies cut addresses at about this length, and referrers may carry long queries. */
export const URL_CHARS_MAX = 8_192;

/**
 * Ids that the product chose for accounts and chat assistants. Case counts: `a1` and `A1` may be two of its customers,
 * and treating them as one would send one customer's webhooks to the other. Source: `domain/account.ts`.
 */
export const PRODUCT_ID_PATTERN = "^[A-Za-z0-9._:-]{1,128}$";

/** The product's id of what an event tells about: any text that a declared type's key can be. */
export const SOURCE_ID_PATTERN = `^[^\\0]{1,${DECLARATION_LIMITS.keyCharsMax}}$`;

export const EXAMPLE_UUID = "5b0f6c1e-4d0a-4c53-9a41-2f4f0a7f6d11";

/** A string of at most `charsMax` characters, empty ones included. */
export const text = (charsMax: number, options: TStringOptions) => Type.String({ maxLength: charsMax, ...options });

const HEX_GROUPS = (digit: string): string => `^${digit}{8}-${digit}{4}-${digit}{4}-${digit}{4}-${digit}{12}$`;

const uuidLike = (pattern: string, options: TStringOptions) =>
  Type.String({ pattern, "x-format": "uuid", examples: [EXAMPLE_UUID], ...options });

/** At intake: any version of UUID, in upper or lower case. Everything that we write has it in lower case. */
export const uuid = (options: TStringOptions) =>
  uuidLike(HEX_GROUPS("[0-9a-fA-F]"), { "x-message": `must be a UUID, such as ${EXAMPLE_UUID}`, ...options });

/** In bodies: one id has one spelling. */
export const bodyUuid = (options: TStringOptions) => uuidLike(HEX_GROUPS("[0-9a-f]"), options);

export const productId = (options: TStringOptions) =>
  Type.String({
    pattern: PRODUCT_ID_PATTERN,
    "x-message": "must be an id of 1 to 128 characters, each one of A-Z a-z 0-9 . _ : -",
    ...options,
  });

/** At intake: ISO 8601 with an offset, one that exists in the calendar. */
export const timestamp = (options: TStringOptions) =>
  Type.String({
    pattern: GIVEN_TIMESTAMP_PATTERN,
    "x-format": "date-time",
    "x-message": `must be an ISO 8601 time that exists, with an offset, such as ${TIMESTAMP_EXAMPLE}`,
    examples: [TIMESTAMP_EXAMPLE],
    ...options,
  });

/** In bodies: the one shape that `timestamp.ts` writes. */
export const bodyTimestamp = (options: TStringOptions) =>
  Type.String({ "x-format": "date-time", pattern: TIMESTAMP_PATTERN, examples: [TIMESTAMP_EXAMPLE], ...options });

/** A value that the product calls an address. It goes out unchanged, valid or not: only its length is bounded. */
export const address = (options: TStringOptions) => text(URL_CHARS_MAX, options);

/** Lenient on purpose: an event must not be lost because of an exotic but real address. */
export const email = (options: TStringOptions) =>
  Type.String({
    pattern: "^[^\\s@]+@[^\\s@]+$",
    maxLength: EMAIL_CHARS_MAX,
    "x-message": "must be an e-mail address, such as ada@example.com",
    ...options,
  });

export const nonNegative = (options: TNumberOptions) => Type.Number({ minimum: 0, ...options });

/** The value or `null`. The description belongs to the whole, so that OpenAPI shows it beside the field. */
export const nullable = <Schema extends TSchema>(schema: Schema, options: TSchemaOptions) =>
  Type.Union([schema, Type.Null()], options);

/** A string that may be missing or `null` at intake; bodies then carry `""`. */
export const optionalText = (charsMax: number, options: TStringOptions) =>
  Type.Optional(nullable(Type.String({ maxLength: charsMax }), options));
