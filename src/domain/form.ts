/**
 * A form is said once, as a schema: the server checks what arrives by it, and `FormOf` is its type for the page and for
 * those who work with it.
 */
import Type, { type Static, type TSchema } from "typebox";

/** Fields that a form does not have are refused by name. */
export const CLOSED = { additionalProperties: false };

export type FormOf<Schema extends TSchema> = Frozen<Static<Schema>>;

/** A schema's own type has no `readonly`. */
type Frozen<Value> = Value extends object ? { readonly [Key in keyof Value]: Frozen<Value[Key]> } : Value;

/**
 * It stands in sentences, in the log and in e-mails: text on one line, and nothing that turns the letters behind it
 * around. Joiners are taken: some languages and many emoji are written with them. `without`: no letter of these.
 */
export function shownLine(what: string, charsMax: number, without = "") {
  const shown = `[^\\p{Cc}\\p{Cs}\\p{Zl}\\p{Zp}\\u202a-\\u202e\\u2066-\\u2069${without}]`;
  const no = without === "" ? "" : `, without “${without}”`;
  return Type.String({
    minLength: 1,
    maxLength: charsMax,
    // No two parts can take the same letter: with two stars over the same ones a long name costs its length squared.
    pattern: `^(?:(?=${shown})[\\p{C}\\p{Z}])*[^\\p{C}\\p{Z}${without}]${shown}*$`,
    "x-message": `must be ${what} of 1 to ${charsMax} characters, visible and on one line${no}`,
  });
}
