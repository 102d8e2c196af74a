/** Bodies of the forms that save or try a webhook and its conditions, as schemas. */
import Type from "typebox";
import { ALERT_AUDIENCES } from "../../domain/alert.ts";
import { CONDITION_JOINS, CONDITION_OPERATORS } from "../../domain/conditions.ts";
import { LIMITS } from "../../domain/limits.ts";
import { webhookForm } from "../../domain/webhook-form.ts";

const conditions = Type.Object(
  {
    join: Type.Enum([...CONDITION_JOINS]),
    list: Type.Array(
      Type.Object(
        {
          field: Type.String(),
          operator: Type.Enum([...CONDITION_OPERATORS]),
          value: Type.Optional(Type.String()),
          values: Type.Optional(Type.Array(Type.String(), { maxItems: 10 * LIMITS.conditionValuesMax })),
        },
        { additionalProperties: false },
      ),
      { maxItems: 10 * LIMITS.conditionsMax },
    ),
  },
  { additionalProperties: false },
);

const conditionsForm = Type.Union([conditions, Type.Null()]);

/* The bodies of forms, as they are checked before anything looks at them: closed, bounded, by field. */

/** The conditions of an alert; guesses at "more than anybody picks by hand". */
const CHOICES_MAX = 200;
const CHOICE_CHARS_MAX = 512;

const choices = Type.Array(Type.String({ minLength: 1, maxLength: CHOICE_CHARS_MAX }), { maxItems: CHOICES_MAX });

/**
 * It stands in sentences, in the log and in e-mails: text on one line, and nothing that turns the letters behind it
 * around. Joiners are taken: some languages and many emoji are written with them.
 */
const SHOWN = "[^\\p{Cc}\\p{Cs}\\p{Zl}\\p{Zp}\\u202a-\\u202e\\u2066-\\u2069]";
export const shownLine = (what: string, charsMax: number) =>
  Type.String({
    minLength: 1,
    maxLength: charsMax,
    // No two parts can take the same letter: with two stars over the same ones a long name costs its length squared.
    pattern: `^(?:(?=${SHOWN})[\\p{C}\\p{Z}])*[^\\p{C}\\p{Z}]${SHOWN}*$`,
    "x-message": `must be ${what} of 1 to ${charsMax} characters, visible and on one line`,
  });

const demands = {
  audience: Type.Enum([...ALERT_AUDIENCES]),
  demos: choices,
  intentLevels: choices,
};

export const alertForm = Type.Object(
  {
    name: shownLine("a name", LIMITS.alertNameCharsMax),
    ...demands,
    conditions: Type.Optional(conditionsForm),
    webhooksOn: Type.Boolean(),
    webhook: Type.Union([webhookForm, Type.Null()]),
  },
  { additionalProperties: false },
);

/** A guess, far above the event types that an operator may declare. */
const WANTED_TYPES_MAX = 1_000;
const wantedType = Type.Object(
  { type: Type.String({ maxLength: CHOICE_CHARS_MAX }), conditions: Type.Optional(conditionsForm) },
  { additionalProperties: false },
);

export const ownWebhookForm = Type.Object(
  {
    name: shownLine("a name", LIMITS.webhookNameCharsMax),
    events: Type.Union([Type.Literal("all"), Type.Array(wantedType, { maxItems: WANTED_TYPES_MAX })]),
    webhook: webhookForm,
  },
  { additionalProperties: false },
);

export const assistantForm = Type.Object(
  { webhook: Type.Union([webhookForm, Type.Null()]), conditions: Type.Optional(conditionsForm) },
  { additionalProperties: false },
);

export const alertPreviewForm = Type.Object(
  { ...demands, conditions: conditionsForm },
  { additionalProperties: false },
);

export const previewForm = Type.Object({ conditions: conditionsForm }, { additionalProperties: false });

/** The edited body is looked at by `tests.ts`; here only the size of what arrives is bounded. */
const test = { webhook: webhookForm, body: Type.Optional(Type.String({ maxLength: 2 * LIMITS.recordBytesMax })) };

export const testForm = Type.Object(test, { additionalProperties: false });

export const eventTestForm = Type.Object(
  { ...test, type: Type.String({ maxLength: CHOICE_CHARS_MAX }) },
  { additionalProperties: false },
);

/** Things that a person has chosen in a list, or that one trouble has. */
export const selectionForm = Type.Object(
  {
    ids: Type.Array(Type.String({ maxLength: 128 }), { minItems: 1, maxItems: LIMITS.selectionMax }),
  },
  { additionalProperties: false },
);
