import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { toNormalForm } from "./normal-form.ts";

const FORMS = ["NFC", "NFKC", "NFKD"] as const;
const MARKS = ["\u0301", "\u0316", "\u0327", "\u05b8", "\u3099"];

const letters = fc.oneof(fc.string({ unit: "grapheme", maxLength: 4 }), fc.constantFrom("e", "ﬁ", "Å", "한", "ｶ"));
const word = (marksMax: number) =>
  fc.tuple(letters, fc.array(fc.constantFrom(...MARKS), { maxLength: marksMax })).map((parts) => parts.flat().join(""));

for (const form of FORMS) {
  test(`${form}: a text as people write it has the form that Unicode says`, () => {
    fc.assert(
      fc.property(fc.array(word(3)), (words) => {
        const text = words.join(" ");
        fc.pre(!/[\p{M}\uff9e\uff9f]{8}/u.test(text));
        assert.equal(toNormalForm(text, form), text.normalize(form));
      }),
    );
  });

  test(`${form}: a row of many marks has no more than a few in a row to sort`, () => {
    const text = `e${MARKS.join("").repeat(2_000)}ﾞ${MARKS.join("").repeat(2_000)}`;
    const runs = toNormalForm(text, form).split("\u034f");
    assert.ok(Math.max(...runs.map((run) => run.length)) <= 16);
    assert.equal(runs.join("").normalize(form).length > 0, true);
  });
}
