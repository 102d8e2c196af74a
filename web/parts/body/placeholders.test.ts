import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { beginPlaceholder, completePlaceholder, findOpenPlaceholder, lineOf, offerFields } from "./placeholders.ts";

/** "|" is the caret; "¦" stands for the bar of a fallback. */
function read(marked: string): { readonly text: string; readonly caret: number } {
  const caret = marked.indexOf("|");
  return { text: marked.replace("|", "").replaceAll("¦", "|"), caret };
}
const write = ({ text, caret }: { readonly text: string; readonly caret: number }): string =>
  `${text.slice(0, caret).replaceAll("|", "¦")}|${text.slice(caret).replaceAll("|", "¦")}`;

describe("the placeholder at the caret", () => {
  const table: Readonly<Record<string, string | null>> = {
    '{"a": "{{|': "",
    '{"a": "{{lead.|': "lead.",
    '{"a": "{{ lead.|"': "lead.",
    '{"a": "Hi {{lead.em|ail}}"': "lead.em",
    '{"a": "{{lead.email}}|': null,
    '{"a": "{{lead.email¦no|': null,
    '{"a": "{{x"|': null,
    '{"a": {|': null,
    '{"a": {{\n|': null,
  };
  for (const [marked, typed] of Object.entries(table)) {
    test(marked, () => {
      const { text, caret } = read(marked);
      assert.equal(findOpenPlaceholder(text, caret)?.typed ?? null, typed);
    });
  }
});

describe("a chosen field", () => {
  const table: Readonly<Record<string, string>> = {
    '"{{|"': '"{{lead.email}}|"',
    '"{{lead.|"': '"{{lead.email}}|"',
    '"{{le|ad.name}} x"': '"{{lead.email}}| x"',
    '"{{|}}"': '"{{lead.email}}|"',
    '"{{le|¦unknown}}"': '"{{lead.email|¦unknown}}"',
    '"no|"': '"no|"',
  };
  for (const [marked, after] of Object.entries(table)) {
    test(`${marked} becomes ${after}`, () => {
      const { text, caret } = read(marked);
      assert.equal(write(completePlaceholder(text, caret, "lead.email")), after);
    });
  }
});

test("Insert field begins a placeholder, in quotes where there are none yet", () => {
  const begun = (marked: string) => {
    const { text, caret } = read(marked);
    return write(beginPlaceholder(text, caret));
  };
  assert.equal(begun('{"a": |}'), '{"a": "{{|}}"}');
  assert.equal(begun('{"a": "Hi |"}'), '{"a": "Hi {{|}}"}');
  assert.equal(begun('{"a": "\\"|"}'), '{"a": "\\"{{|}}"}');
  assert.equal(begun("|"), '"{{|}}"');
});

test("fields that begin with what is typed come before those that have it anywhere", () => {
  const fields = ["email", "lead.email", "lead.name", "emails"].map((path) => ({ path, about: "" }));
  assert.deepEqual(
    offerFields(fields, "Email ").map(({ path }) => path),
    ["email", "emails", "lead.email"],
  );
  assert.equal(offerFields(fields, "").length, 4);
  const many = Array.from({ length: 60 }, (_, at) => ({ path: `f${at}`, about: "" }));
  assert.equal(offerFields(many, "f").length, 50);
});

test("an error's line is read from its words", () => {
  assert.deepEqual(
    [lineOf("The template has a mistake in line 12: x"), lineOf("Write a template."), lineOf(undefined)],
    [12, null, null],
  );
});
