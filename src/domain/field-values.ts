/**
 * What a search asks of one field: `city:Berlin`, `name:"Product tour"`, `order_no:47*`. A value is compared as a
 * whole, without regard to the case of letters, and a number by what it is worth; a star behind it lets it go on. Pure.
 *
 * Text that only looks like it stays words: an address (`https://…`), a time (`10:30`), and a blank behind the colon.
 */
import { toNormalForm } from "../lib/normal-form.ts";
import { compareDecimals } from "./decimal.ts";

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

const ONLY_ASCII = /^\p{ASCII}*$/u;

/** By way of upper case: `straße` is STRASSE, and there is one i for KADİR, kadir and kadır. */
export const foldValue = (text: string): string =>
  ONLY_ASCII.test(text)
    ? text.toLowerCase()
    : toNormalForm(text, "NFC").toUpperCase().toLowerCase().replaceAll("ς", "σ").replaceAll("i\u0307", "i");

/** An id such as 007 is none. */
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/;

/** `5.00` is 5. */
export const isSameNumber = (one: string, other: string): boolean =>
  NUMBER.test(one) && NUMBER.test(other) && compareDecimals(one, other) === 0;

/** `order_no:"` whose quote does not end. */
export const hasOpenQuote = (rest: string): boolean => /(?<!\S)[A-Za-z_][\w.-]*:"/.test(rest);

/** More leaves out hardly any body. */
const PIECES_CHARS_MAX = 32;

/** Letters that `foldValue` makes of others, too: of ß, ﬁ, ſ, İ, ẖ, ŉ, the Kelvin sign. A test tries all letters. */
const MADE_OF_OTHERS = /[iks]|(?<=s)t|f[fil]+|[ahjtwy](?=[^\0-\x7f])|(?<=[^\0-\x7f])n/g;

/**
 * A pattern of SQL's `like` that each body with the value fits, compared without regard to the case of ASCII letters,
 * unless the body escapes an ASCII letter: the name's end, then the pieces of the value that are written in one way
 * alone. It has no sign of `like` but the underscores of names, which then stand for any letter.
 */
export function toLikePattern({ field, value, isBeginning }: FieldValue): string {
  const written = NUMBER.test(value) && value.includes(".") ? value.replace(/\.?0+$/, "") : value;
  const sure = written.replaceAll(MADE_OF_OTHERS, " ");
  // Where it may go on, the last letter may be the first of two.
  const pieces = (isBeginning ? sure.replace(/[a-z]$/, "") : sure).match(/[a-z\d]+/g) ?? [];
  return `%${field.split(".").at(-1)?.toLowerCase() ?? ""}"%${pieces.join("%").slice(0, PIECES_CHARS_MAX)}%`;
}
