import assert from "node:assert/strict";
import { test } from "node:test";
import { groupTypes } from "./group-types.ts";

const group = (...types: string[]) =>
  groupTypes(types.map((type) => ({ type }))).map((each) => [each.group, each.types.map(({ type }) => type).join(" ")]);

test("types stand by the word before their first dot; one that shares it with no other stands behind", () => {
  assert.deepEqual(group("lead_identified", "order.paid", "cart.left", "order.item.added", "user.made", "user.gone"), [
    ["order.*", "order.paid order.item.added"],
    ["user.*", "user.made user.gone"],
    [null, "lead_identified cart.left"],
  ]);
  assert.deepEqual(group("order.paid"), [[null, "order.paid"]]);
  assert.deepEqual(group(), []);
});
