import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import type { WebhookSettings } from "../../../src/dashboard/contract/destinations.ts";
import { FORM_LIMITS } from "../../../src/domain/limits.ts";
import { checkCustomHeaders } from "../../../src/domain/custom-headers.ts";
import { addRow, changeRow, nameRow } from "../headers/rows.ts";
import { toDraft, toForm } from "./draft.ts";
import { checkDraft, errorsByField } from "./refusals.ts";
import { makeWebhookSettings } from "../../../test/kit/make.ts";

const LIMITS = { ...FORM_LIMITS, httpsOnly: false };
const SAVED = makeWebhookSettings({
  url: "https://hooks.example.com/in",
  headers: [{ name: "X-Api-Key", value: null, secret: true }],
});

const withRate = (saved: WebhookSettings | null, ratePerSecond: string) => {
  const draft = toDraft(saved);
  return { ...draft, kept: { ...draft.kept, ratePerSecond } };
};

const withNames = (...names: string[]) =>
  names.reduce((draft, name, index) => nameRow(addRow(draft), index + 1, name), toDraft(null));

describe("before it is sent", () => {
  const table: readonly (readonly [names: string[], errors: Record<string, RegExp>])[] = [
    [["X-One", "X-Two"], {}],
    [["X-One", "x-one"], { "name:2": /used twice/ }],
    [["X-One", "x_one"], { "name:2": /^Many servers read x-one and this as one name/ }],
    [["two words", "X-One", "with:colon"], { "name:1": /^Use letters/, "name:3": /^Use letters/ }],
    [["X-One", "'X-Two'"], { "name:2": /^The name .*quot/ }],
    [["X-One", " "], { "name:2": /^Give the header a name/ }],
  ];
  for (const [names, errors] of table) {
    test(`tells what is wrong with the names ${names.join(", ")}`, () => {
      const found = checkDraft({ ...withNames(...names), url: "https://a.example" }, LIMITS);
      assert.deepEqual(Object.keys(found), Object.keys(errors));
      for (const [key, pattern] of Object.entries(errors)) assert.match(found[key] ?? "", pattern);
    });
  }

  test("the page refuses a name exactly where the service does, reserved names aside", () => {
    const letters = fc.constantFrom(...Array.from("aBc1-_.!*'` :ü"));
    const names = fc.array(fc.string({ unit: letters, minLength: 1, maxLength: 3 }), { maxLength: 4 });
    fc.assert(
      fc.property(names, (typed) => {
        const draft = { ...withNames(...typed), url: "https://a.example" };
        const page = Object.keys(checkDraft(draft, LIMITS));
        const { rows, form } = toForm(draft);
        const headers = form.headers.map(({ name, value }) => ({ name, value: value ?? "", secret: false }));
        const checked = checkCustomHeaders(headers, "x-service-signature");
        const refused = checked.ok ? [] : Object.keys(errorsByField(checked.error, rows));
        assert.deepEqual(page.toSorted(), refused.toSorted());
      }),
    );
  });

  test("an empty URL and a rate that is no number are refused", () => {
    assert.deepEqual(checkDraft(withRate(null, "fast"), LIMITS), {
      url: "Enter the URL that should receive events.",
      ratePerSecond: "Enter a number from 0.1 to 1000, or leave it empty.",
    });
    assert.deepEqual(checkDraft(withRate(SAVED, " 2,5 "), LIMITS), {});
  });

  test("a URL that is too long is refused with its length and the limit, white space around it aside", () => {
    const makeUrl = (length: number): string => "https://a.example/".padEnd(length, "x");
    const findUrlError = (url: string) => checkDraft({ ...toDraft(null), url }, LIMITS)["url"];
    assert.equal(findUrlError(` ${makeUrl(2048)}\n`), undefined);
    assert.equal(findUrlError(makeUrl(2130)), "The URL has 2,130 characters; at most 2,048 are taken.");
  });

  test("an http: URL is refused while it is typed where the operator wants https alone", () => {
    const draft = { ...toDraft(null), url: " HTTP://hooks.example.com/in" };
    assert.deepEqual(checkDraft(draft, LIMITS), {});
    assert.match(checkDraft(draft, { ...LIMITS, httpsOnly: true })["url"] ?? "", /^Write https:\/\/ in front/);
    assert.deepEqual(checkDraft({ ...draft, url: "https://a.example" }, { ...LIMITS, httpsOnly: true }), {});
  });

  test("a saved secret has to be entered again for another server, and when it is being replaced", () => {
    const away = { ...toDraft(SAVED), url: "https://elsewhere.example.com" };
    assert.match(checkDraft(away, LIMITS)["value:1"] ?? "", /^Enter the value again/);
    const replaced = changeRow(toDraft(SAVED), 1, (row) => ({ ...row, isReplaced: true }));
    assert.match(checkDraft(replaced, LIMITS)["value:1"] ?? "", /keep the saved one/);
    assert.deepEqual(
      checkDraft(
        changeRow(away, 1, (row) => ({ ...row, value: "new" })),
        LIMITS,
      ),
      {},
    );
  });
});

test("what the service refused goes to the row it was sent from, though empty rows were left out", () => {
  const draft = nameRow(addRow(addRow(toDraft(null))), 2, "X-Two");
  const { rows } = toForm(draft);
  const errors = errorsByField(
    [
      { path: "webhook.headers[0].value", message: "is longer than 4096 characters" },
      { path: "webhook.url", message: "The Webhook URL has no host" },
      { path: "url", message: "another one" },
      { path: "demos[3]", message: "is empty" },
    ],
    rows,
  );
  assert.deepEqual(errors, {
    "value:2": "The value is longer than 4096 characters.",
    url: "The Webhook URL has no host.",
    demos: "It is empty.",
  });
});

test("more tags than one has room for, or a long one, are told at their field", () => {
  const withTags = (tags: string) => {
    const draft = { ...toDraft(null), url: "https://a.example" };
    return checkDraft({ ...draft, kept: { ...draft.kept, tags } }, LIMITS);
  };
  const ten = Array.from({ length: LIMITS.tagsMax }, (_, n) => `tag ${n}`).join(", ");
  assert.deepEqual(withTags(ten), {});
  for (const tags of [`${ten}, more`, "x".repeat(LIMITS.tagCharsMax + 1)]) {
    assert.deepEqual(withTags(tags), { tags: "Enter 10 tags at most, of 40 characters each." });
  }
  const told = errorsByField([{ path: "webhook.tags[1]", message: "must be a tag of 1 to 40 characters" }], []);
  assert.deepEqual(Object.keys(told), ["tags"]);
});
