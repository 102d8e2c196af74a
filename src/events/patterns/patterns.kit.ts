/** Regular expressions of ECMAScript made at random from its grammar (flag `u`), texts to match, and what it says. */
import fc from "fast-check";

const CHARACTERS = [
  ...Array.from("abAZ_09- .é\n\r\t"),
  "\u00a0",
  "\u2028",
  "\ufeff",
  "\u017f",
  "\u212a",
  "😀",
  "\u{10ffff}",
  "\0",
];

const literal = fc.constantFrom(
  ...Array.from("abAZ09_-é😀\u00a0\u2028 :=!<>,&~#@"),
  ..."^$\\.*+?()[]{}|/".split("").map((sign) => `\\${sign}`),
  ..."tnvfr0".split("").map((letter) => `\\${letter}`),
  ..."\\x41 \\u0041 \\u00e9 \\ud83d\\ude00 \\u{1F600} \\u{41} \\cJ \\ud83d".split(" "),
);
const escape = fc.constantFrom(
  ..."\\d \\D \\w \\W \\s \\S \\p{L} \\P{L} \\p{Lu} \\p{Emoji} \\p{Script=Greek} \\p{sc=Latin} \\p{ASCII}".split(" "),
);
const inClass = fc.oneof(
  fc.constantFrom(
    ...Array.from("abAZ09_é😀\u2028 :[&~!(){}*+?.|$/"),
    "\\-",
    "\\]",
    "\\\\",
    "\\^",
    "\\b",
    "\\n",
    "\\x41",
    "\\u{1F600}",
  ),
  fc.constantFrom(
    "a-z",
    "A-Z",
    "0-9",
    "!-~",
    "\\0-\\x1f",
    "é-\u2028",
    "\\u{1F600}-\\u{1F64F}",
    "[:alpha:",
    "\\cA-\\cZ",
  ),
  escape,
);
const charClass = fc
  .tuple(fc.constantFrom("", "^"), fc.array(inClass, { maxLength: 4 }))
  .map(([not, parts]) => `[${not}${parts.join("")}]`);
const quantifier = fc
  .tuple(
    fc.constantFrom("*", "+", "?", "{0}", "{1}", "{2}", "{0,}", "{1,}", "{2,}", "{0,1}", "{1,3}", "{03}"),
    fc.boolean(),
  )
  .map(([times, isLazy]) => (isLazy ? `${times}?` : times));

const { pattern } = fc.letrec<{ pattern: string; way: string; term: string; atom: string }>((tie) => ({
  pattern: fc.array(tie("way"), { minLength: 1, maxLength: 3 }).map((ways) => ways.join("|")),
  way: fc.array(tie("term"), { maxLength: 4, depthIdentifier: "p" }).map((terms) => terms.join("")),
  term: fc.oneof(
    { weight: 1, arbitrary: fc.constantFrom("^", "$", "\\b", "\\B") },
    { weight: 4, arbitrary: tie("atom") },
    { weight: 3, arbitrary: fc.tuple(tie("atom"), quantifier).map((parts) => parts.join("")) },
  ),
  atom: fc.oneof(
    { depthIdentifier: "p", maxDepth: 3, depthSize: "small" },
    { weight: 5, arbitrary: literal },
    { weight: 1, arbitrary: fc.constant(".") },
    { weight: 2, arbitrary: escape },
    { weight: 2, arbitrary: charClass },
    { weight: 3, arbitrary: tie("pattern").map((inner) => `(?:${inner})`) },
    { weight: 1, arbitrary: tie("pattern").map((inner) => `(${inner})`) },
  ),
}));

const isPattern = (source: string): boolean => {
  try {
    return new RegExp(source, "u") instanceof RegExp;
  } catch {
    return false;
  }
};

/** Each is taken: JavaScript knows it, and it has a linear form. */
export const takenPatterns: fc.Arbitrary<string> = pattern.filter(isPattern);

/** Of characters that classes tell apart. They have no lone surrogates, as records have none. */
export const texts: fc.Arbitrary<string> = fc
  .array(fc.constantFrom(...CHARACTERS, ...Array.from("aaabb")), { maxLength: 12 })
  .map((characters) => characters.join(""));

/**
 * What ECMAScript says: there is a match from some character on. `RegExp.test` of V8 also begins between the halves of
 * a surrogate pair, where `\B` then holds.
 */
export function isMatch(source: string, text: string): boolean {
  const sticky = new RegExp(source, "uy");
  const starts = [0];
  for (const character of text) starts.push((starts.at(-1) ?? 0) + character.length);
  return starts.some((start) => {
    sticky.lastIndex = start;
    return sticky.test(text);
  });
}
