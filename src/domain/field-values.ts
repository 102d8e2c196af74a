/**
 * What a search asks of one field: `city:Berlin`, `name:"Product tour"`, `order_no:47*`. A value is compared as a
 * whole, without regard to the case of letters; a star behind it lets it go on. Pure.
 *
 * Text that only looks like it stays words: an address (`https://…`), a time (`10:30`), and a blank behind the colon.
 */
import { toNormalForm } from "../lib/normal-form.ts";

export interface FieldValue {
  /** The field's name, or the end of its path, as it was typed: `city`, `lead.email`. */
  readonly field: string;
  /** As `foldValue` has it. */
  readonly value: string;
  /** It may go on. */
  readonly isBeginning: boolean;
}

/** Each is looked for in every body. */
export const FIELD_VALUES_MAX = 4;

/** Names as schemas have them; a field of another name is found by its words alone. */
const TERM = /(?<!\S)([A-Za-z_][\w-]*(?:\.[\w-]+)*):(?!\/\/)(?:"([^"]*)"(\*?)|([^\s"]+))(?!\S)/g;

/** The text's field values, and what is left of it. */
export function splitFieldValues(text: string): { readonly values: readonly FieldValue[]; readonly rest: string } {
  const values = Array.from(text.matchAll(TERM), ([, field = "", quoted, star, bare = ""]) => {
    const isBeginning = star === "*" || (quoted === undefined && bare.length > 1 && bare.endsWith("*"));
    const value = quoted ?? (isBeginning ? bare.slice(0, -1) : bare);
    return { field, value: foldValue(value), isBeginning };
  });
  return { values, rest: text.replaceAll(TERM, " ") };
}

export const foldValue = (text: string): string => toNormalForm(text, "NFC").toLowerCase();

/** `order_no:"` whose quote does not end. */
export const hasOpenQuote = (rest: string): boolean => /(?<!\S)[A-Za-z_][\w.-]*:"/.test(rest);

/** A longer piece leaves out no more, and a body of one letter is compared with it at every place. */
const PIECE_CHARS_MAX = 32;

/**
 * A pattern of SQL's `like` that each body with the value fits, compared without regard to the case of ASCII letters:
 * the name, then the longest piece of the value that JSON never writes in another way. It has no sign of `like` but the
 * underscores of names, which then stand for any letter.
 */
export function toLikePattern({ field, value }: FieldValue): string {
  const pieces = value.match(/[a-z\d]+/g) ?? [];
  const longest = pieces.reduce((best, piece) => (piece.length > best.length ? piece : best), "");
  return `%"${field.split(".").at(-1)?.toLowerCase() ?? ""}"%${longest.slice(0, PIECE_CHARS_MAX)}%`;
}
