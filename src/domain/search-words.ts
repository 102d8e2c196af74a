/**
 * Words as search knows them: the one place that says which texts are the same. Both stores index and compare what
 * comes out of here, so that they find the same. Pure.
 *
 * A word is a run of letters and digits, in lower case and without marks: "Müller" is `muller`. Scripts that put no
 * spaces between words give a word for each character.
 */
import { toNormalForm } from "../lib/normal-form.ts";

export interface Word {
  readonly word: string;
  /** Where it stands in the text. */
  readonly from: number;
  readonly to: number;
}

/** Longer ones are cut: they are keys and hashes, of which the beginning is enough. PostgreSQL takes 2 KB. */
const WORD_CHARS_MAX = 64;

/** With the signs that several scripts have: a long vowel in Katakana goes with it, and not with Latin behind it. */
const UNSPACED = `Han Hiragana Katakana Bopomofo Yi Thai Lao Khmer Myanmar Javanese Balinese
  Tai_Le New_Tai_Lue Tai_Tham Tai_Viet`
  .split(/\s+/)
  .map((script) => String.raw`\p{Script_Extensions=${script}}`)
  .join("");
const ALONE = String.raw`[[\p{L}\p{N}]&&[${UNSPACED}]]\p{M}*`;
/** A soft hyphen, and what forbids a line break, stand within a word. */
const JOINED = String.raw`[[[\p{L}\p{N}]--[${UNSPACED}]]\p{M}\u00ad\u2060\ufeff]+`;
const WORD = new RegExp(`${ALONE}|${JOINED}`, "gv");
const ASCII_WORD = /[a-z0-9]+/gi;
const ONLY_ASCII = /^\p{ASCII}*$/u;

/** Letters that no rule of Unicode takes apart. */
const PLAIN: Readonly<Record<string, string>> = {
  ß: "ss",
  æ: "ae",
  œ: "oe",
  ø: "o",
  ł: "l",
  đ: "d",
  ð: "d",
  þ: "th",
  ς: "σ",
};

/** The words of a text, in their order. */
export function* findWords(text: string): Generator<Word> {
  const isAscii = ONLY_ASCII.test(text);
  for (const { 0: found, index } of text.matchAll(isAscii ? ASCII_WORD : WORD)) {
    const word = isAscii ? found.toLowerCase().slice(0, WORD_CHARS_MAX) : fold(found);
    if (word !== "") yield { word, from: index, to: index + found.length };
  }
}

export const toWords = (text: string): string[] => Array.from(findWords(text), ({ word }) => word);

function fold(found: string): string {
  // The Arabic U+0640 only makes a word longer.
  const letters = toNormalForm(found, "NFKD").replaceAll(/[^\p{L}\p{N}]|\u0640/gu, "");
  // By way of upper case, as several small letters have the same capital.
  const lower = letters.toUpperCase().toLowerCase();
  const plain = lower.replaceAll(/[ßæœøłđðþς]/g, (letter) => PLAIN[letter] ?? letter);
  return plain.slice(0, WORD_CHARS_MAX).toWellFormed();
}

/**
 * A part of a query, without spaces in it: its words follow each other, and the last may go on. So
 * `jane@acme.exa` is found in jane@acme.example, and `jan` in Janet.
 */
export type Phrase = readonly string[];

/** All of a query's phrases must be found. Empty when it has no letter and no digit. */
export const parsePhrases = (query: string): Phrase[] =>
  query
    .split(/\s+/)
    .map(toWords)
    .filter((phrase) => phrase.length > 0);

/** Where phrases stand in a text, in order and apart from each other. */
export const findPhrases = (text: string, phrases: readonly Phrase[]): Range[] => findEach(text, phrases).ranges;

export type Range = readonly [from: number, to: number];

/** The same, and how many of the phrases there are. Reads the text once. */
export function findEach(
  text: string,
  phrases: readonly Phrase[],
): { readonly ranges: Range[]; readonly count: number } {
  const words = Array.from(findWords(text));
  const each = phrases.map((phrase) => words.flatMap((_, place) => matchAt(words, place, phrase)));
  return { ranges: joinRanges(each.flat()), count: each.filter((found) => found.length > 0).length };
}

function joinRanges(found: readonly Range[]): Range[] {
  const ranges: [number, number][] = [];
  for (const [from, to] of found.toSorted((one, other) => one[0] - other[0])) {
    const last = ranges.at(-1);
    if (last !== undefined && from <= last[1]) last[1] = Math.max(last[1], to);
    else ranges.push([from, to]);
  }
  return ranges;
}

function matchAt(words: readonly Word[], place: number, phrase: Phrase): [from: number, to: number][] {
  const isMatch = phrase.every((wanted, offset) => {
    const word = words[place + offset]?.word;
    return offset === phrase.length - 1 ? word?.startsWith(wanted) : word === wanted;
  });
  const first = words[place];
  const last = words[place + phrase.length - 1];
  return isMatch && first !== undefined && last !== undefined ? [[first.from, last.to]] : [];
}
