import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { SearchedText } from "./searched-text.ts";

const finds = (text: string, wanted: string): boolean => {
  const searched = new SearchedText(text);
  return searched.mayHave(wanted) && searched.has(wanted);
};

/** Few letters, one of them of two code units, so that beginnings come again and again. */
const piece = fc.string({ unit: fc.constantFrom("a", "b", "😀"), minLength: 1, maxLength: 40 });

test("finds what String.includes finds, in texts that repeat themselves", () => {
  fc.assert(
    fc.property(fc.array(piece, { minLength: 1, maxLength: 6 }), piece, fc.nat(60), (pieces, wanted, times) => {
      const text = pieces.join("").repeat(1 + times);
      const long = wanted.repeat(1 + (times % 7));
      for (const each of [wanted, long, text.slice(1, -1), `${text}a`, text]) {
        if (each !== "") assert.equal(finds(text, each), text.includes(each), `${each} in ${text}`);
      }
    }),
    { numRuns: 500 },
  );
});

test("finds each part of a long text, and nothing that is not in it", () => {
  const text = Array.from({ length: 4_000 }, (_, n) => `word ${n} of ${(n * 7919) % 4_000}`).join(", ");
  for (let n = 0; n < 500; n += 1) {
    const from = (n * 131) % text.length;
    const part = text.slice(from, from + 1 + (n % 80));
    assert.ok(finds(text, part), part);
    assert.equal(finds(text, `${part}#`), false);
  }
});
