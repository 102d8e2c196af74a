import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import {
  addCondition,
  changeCondition,
  checkConditions,
  type ConditionsDraft,
  removeCondition,
  sendsConditions,
  toConditionsDraft,
  toConditionsForm,
} from "./draft.ts";

const SAVED = {
  join: "any",
  list: [
    { field: "lead.email", operator: "contains", value: "@acme" },
    { field: "lead", operator: "known" },
  ],
} as const;

test("what is saved comes back as it was, and is sent as it is", () => {
  assert.deepEqual(toConditionsForm(toConditionsDraft(SAVED)), SAVED);
  assert.equal(toConditionsForm(toConditionsDraft(null)), null);
});

test("white space around field and value is not sent, nor a value that nothing compares", () => {
  const draft = changeCondition(toConditionsDraft(SAVED), 1, { field: " lead.email ", value: " @acme " });
  assert.equal(sendsConditions(draft), sendsConditions(toConditionsDraft(SAVED)));
  const known = changeCondition(draft, 1, { operator: "known" });
  assert.deepEqual(toConditionsForm(known)?.list[0], { field: "lead.email", operator: "known" });
});

test("a list is typed one value on each line, and keeps its first when another comparison is chosen", () => {
  const listed = { join: "all", list: [{ field: "name", operator: "one_of", values: ["Tour", "Pricing"] }] } as const;
  const draft = toConditionsDraft(listed);
  assert.equal(draft.rows[0]?.value, "Tour\nPricing");
  const typed = changeCondition(draft, 1, { value: " Tour\n\nPricing \n" });
  assert.deepEqual(toConditionsForm(typed), listed);
  const one = toConditionsForm(changeCondition(typed, 1, { operator: "is" }));
  assert.deepEqual(one?.list, [{ field: "name", operator: "is", value: "Tour" }]);
  const empty = changeCondition(draft, 1, { value: "\n " });
  assert.deepEqual(checkConditions(empty), { "condition:0:value": "Enter at least one value." });
});

test("an empty field and an empty value are said at their row", () => {
  const draft = addCondition(changeCondition(toConditionsDraft(SAVED), 1, { value: " " }));
  assert.deepEqual(Object.keys(checkConditions(draft)), [
    "condition:0:value",
    "condition:2:field",
    "condition:2:value",
  ]);
});

describe("whatever is added and removed", () => {
  test("rows have ids of their own, and without rows nothing is sent", () => {
    const act = fc.oneof(fc.constant("add" as const), fc.nat(6));
    fc.assert(
      fc.property(fc.array(act, { maxLength: 20 }), (acts) => {
        let draft: ConditionsDraft = toConditionsDraft(SAVED);
        for (const each of acts) {
          draft = each === "add" ? addCondition(draft) : removeCondition(draft, draft.rows[each]?.id ?? -1);
        }
        const ids = draft.rows.map(({ id }) => id);
        assert.equal(new Set(ids).size, ids.length);
        assert.equal(toConditionsForm(draft) === null, draft.rows.length === 0);
      }),
    );
  });
});
