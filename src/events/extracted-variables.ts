/**
 * The signals of a conversation: four default ones that bodies always carry, then the owner's own, which may be any
 * JSON and must go out exactly as they came in, with their digits, `__proto__` and all. Source: specification §2.5;
 * decisions §2.
 */
import Type from "typebox";
import type { Static } from "typebox";
import { type Exactly, joinObjects } from "./exact-json.ts";
import { isNestedAtMost } from "./json-levels.ts";
import { EMAIL_CHARS_MAX, LABEL_CHARS_MAX, nullable, optionalText } from "./fields.ts";

/** Guesses, generous. */
const SIGNALS_MAX = 500;
const SIGNAL_NAME_CHARS_MAX = 256;
/** Deep nesting would overflow the stack (measured: the reviver dies at 3,000 levels, `JSON.stringify` at 5,000). */
export const SIGNAL_DEPTH_MAX = 32;

const DEPTH_MESSAGE = `must not be nested deeper than ${SIGNAL_DEPTH_MAX} levels`;

/** At intake the default signals may be missing or null: not extracted. */
export const extractedVariablesSchema = Type.Refine(
  Type.Object(
    {
      email: optionalText(EMAIL_CHARS_MAX, { description: "E-mail address that the visitor gave." }),
      visitor_name: optionalText(LABEL_CHARS_MAX, { description: "Name that the visitor gave." }),
      phone_number: optionalText(LABEL_CHARS_MAX, { description: "Telephone number that the visitor gave." }),
      qualified: Type.Optional(nullable(Type.Boolean(), { description: "Whether the visitor is qualified." })),
    },
    {
      additionalProperties: true,
      propertyNames: { maxLength: SIGNAL_NAME_CHARS_MAX },
      maxProperties: SIGNALS_MAX,
      description: "Signals extracted: the four default ones, and custom ones by name with any JSON value.",
      examples: [{ email: "ada@example.com", visitor_name: "Ada", qualified: true, team_size: 40 }],
    },
  ),
  (value) => isNestedAtMost(value, SIGNAL_DEPTH_MAX),
  () => DEPTH_MESSAGE,
);

export const extractedVariablesBodySchema = Type.Object(
  {
    email: Type.String({ description: 'E-mail address that the visitor gave; "" when not extracted.' }),
    visitor_name: Type.String({ description: 'Name that the visitor gave; "" when not extracted.' }),
    phone_number: Type.String({ description: 'Telephone number that the visitor gave; "" when not extracted.' }),
    qualified: Type.Boolean({ description: "Whether the visitor is qualified; false when not extracted." }),
  },
  {
    additionalProperties: true,
    description: "Signals extracted: always the four default ones, then the owner's custom ones as they came.",
    examples: [{ email: "ada@example.com", visitor_name: "Ada", phone_number: "", qualified: true, team_size: 40 }],
  },
);

type ExtractedVariables = Exactly<Static<typeof extractedVariablesSchema>>;

const DEFAULT_NAMES: ReadonlySet<string> = new Set(["email", "visitor_name", "phone_number", "qualified"]);

/**
 * The JSON text of the body's `extracted_variables`, the default signals first. Custom ones keep their order, except
 * that names which are whole numbers come first among them: JavaScript objects do not remember where those stood.
 */
export function extractedVariablesText(variables: ExtractedVariables | undefined): string {
  const defaults = JSON.stringify(defaultSignals(variables));
  if (variables === undefined) return defaults;
  const custom = Object.entries(variables).filter(([name]) => !DEFAULT_NAMES.has(name));
  // `fromEntries` defines members rather than assigning them, so that `__proto__` is a name like any other.
  return custom.length === 0 ? defaults : joinObjects(defaults, JSON.stringify(Object.fromEntries(custom)));
}

/** The same as an object, for readers to whom the order of names says nothing. */
export const extractedVariablesValues = (variables: ExtractedVariables | undefined) => ({
  ...variables,
  ...defaultSignals(variables),
});

const defaultSignals = (variables: ExtractedVariables | undefined) => ({
  email: variables?.email ?? "",
  visitor_name: variables?.visitor_name ?? "",
  phone_number: variables?.phone_number ?? "",
  qualified: variables?.qualified ?? false,
});
