import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { CONDITION_OPERATORS, findUnmet } from "../domain/conditions.ts";
import type { ConditionForm } from "../domain/conditions-form.ts";
import { checkConditions, listConditionFields } from "./condition-fields.ts";
import { createFieldReader } from "./payload.ts";
import { BUILT_IN_TYPES } from "./event-types.ts";
import { eventType } from "../../test/kit/event-type.ts";

const check = (type: string, ...list: ConditionForm[]) => checkConditions([eventType(type)], { join: "all", list });
const findErrors = (type: string, ...list: ConditionForm[]) => {
  const checked = check(type, ...list);
  return checked.ok ? [] : checked.error.map(({ path, message }) => `${path} ${message}`);
};
const is = (field: string, value = "x"): ConditionForm => ({ field, operator: "is", value });

test("every field of the payload can be named, those of objects by their path", () => {
  const paths = listConditionFields([eventType("demo_viewed")]).map(({ path }) => path);
  for (const path of ["intent_level", "lead", "lead.email", "buyer_reveal.company_name", "utm_params", "referers"]) {
    assert.ok(paths.includes(path), path);
  }
  for (const each of BUILT_IN_TYPES.all) {
    for (const { path } of listConditionFields([each])) assert.deepEqual(findErrors(each.type, is(path)), [], path);
  }
});

test("below utm_params and extracted_variables every name goes, with dots in it too", () => {
  assert.deepEqual(findErrors("demo_viewed", is("utm_params.utm_source"), is("utm_params.a.b c")), []);
  assert.deepEqual(findErrors("chat_conversation_completed", is("extracted_variables.team.size")), []);
});

const oneOf = (count: number): ConditionForm => ({
  field: "name",
  operator: "one_of",
  values: Array.from({ length: count }, (_, index) => `Tour ${index}`),
});

const REFUSED: readonly (readonly [type: string, condition: ConditionForm, error: RegExp])[] = [
  ["demo_viewed", is("intent"), /field is none of the payload of demo_viewed/],
  ["demo_viewed", is("intentLevel"), /did you mean intent_level\?$/],
  ["demo_viewed", is("email"), /did you mean lead\.email\?$/],
  ["demo_viewed", is("utm_source"), /did you mean utm_params\.utm_source\?$/],
  ["demo_viewed", is("buyer_reveal.company"), /did you mean/],
  ["demo_viewed", is("transcript"), /none of the payload of demo_viewed/],
  ["demo_viewed", is("utm_params."), /needs a name behind utm_params/],
  ["demo_viewed", is("name.first"), /none of the payload/],
  ["demo_viewed", is(" "), /field is missing/],
  ["demo_viewed", is(`utm_params.${"x".repeat(300)}`), /field is longer than 300 characters/],
  ["demo_viewed", is("utm_params.a\nb"), /field must be one line/],
  ["demo_viewed", is("name", " "), /value is missing/],
  ["demo_viewed", is("name", "x".repeat(513)), /value is longer than 512/],
  ["demo_viewed", is("name", "a\nb"), /value must be one line/],
  [
    "demo_viewed",
    { field: "completion", operator: "at_least", value: "half" },
    /value must be a number, or one of low/,
  ],
  ["demo_viewed", { field: "completion", operator: "at_most", value: "half" }, /value must be a number/],
  ["demo_viewed", { field: "name", operator: "one_of" }, /values is empty: enter at least one value/],
  ["demo_viewed", { field: "name", operator: "one_of", values: [" ", ""] }, /values is empty/],
  ["demo_viewed", oneOf(101), /values has 101 values, and at most 100 are taken$/],
  [
    "demo_viewed",
    { field: "name", operator: "none_of", values: ["a", "b\nc"] },
    /values has a mistake: value 2 must be one line/,
  ],
];
for (const [type, condition, error] of REFUSED) {
  const shown = JSON.stringify(condition).slice(0, 70);
  test(`${shown} is refused in words`, () => assert.match(findErrors(type, condition)[0] ?? "", error));
}

test("every mistake is said by its row, and twenty rows are the most", () => {
  assert.deepEqual(
    findErrors("demo_viewed", is("name"), is("nam", ""), { field: "", operator: "known" }).map(
      (error) => error.split(" ")[0],
    ),
    ["list[1].field", "list[1].value", "list[2].field"],
  );
  assert.match(findErrors("demo_viewed", ...Array.from({ length: 21 }, () => is("name")))[0] ?? "", /more than 20/);
});

test("a list is kept without white space, empty values and those that stand there twice", () => {
  const values = [" Tour", "", "Tour ", "Pricing"];
  const kept = check("demo_viewed", { field: "name", operator: "one_of", values, value: "x" });
  const list = [{ field: "name", operator: "one_of", values: ["Tour", "Pricing"] }];
  assert.deepEqual(kept, { ok: true, value: { join: "all", list } });
  assert.ok(check("demo_viewed", oneOf(100)).ok);
});

test("an empty list is no conditions; what is kept is trimmed and has no value where none is compared", () => {
  assert.deepEqual(check("demo_viewed"), { ok: true, value: null });
  assert.deepEqual(check("demo_viewed", is(" name ", " Tour "), { field: "lead", operator: "known", value: "x" }), {
    ok: true,
    value: {
      join: "all",
      list: [
        { field: "name", operator: "is", value: "Tour" },
        { field: "lead", operator: "known" },
      ],
    },
  });
});

describe("whatever the payload is", () => {
  test("conditions that may be saved give an answer, and the same one twice", () => {
    const paths = listConditionFields(BUILT_IN_TYPES.all).map(({ path }) => path);
    const condition = fc.record({
      field: fc.oneof(fc.constantFrom(...paths), fc.string()),
      operator: fc.constantFrom(...CONDITION_OPERATORS),
      value: fc.oneof(fc.string(), fc.double().map(String), fc.constantFrom("high", "1e999")),
    });
    const payload = fc.dictionary(fc.constantFrom(...paths.map((path) => path.split(".")[0] ?? "")), fc.jsonValue());
    fc.assert(
      fc.property(fc.constantFrom(...BUILT_IN_TYPES.all), fc.array(condition), payload, (type, list, event) => {
        const checked = checkConditions([type], { join: "any", list });
        if (!checked.ok) return;
        const ask = () =>
          findUnmet(
            checked.value,
            createFieldReader(() => event),
          );
        assert.deepEqual(ask(), ask());
      }),
    );
  });
});
