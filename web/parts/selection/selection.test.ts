import assert from "node:assert/strict";
import { test } from "node:test";
import { NOTHING, type Selected, toggle, toggleAll } from "./selection.ts";

const ROWS = ["a", "b", "c", "d", "e"];
const idsOf = ({ ids }: Selected): string => [...ids].toSorted().join("");
const press = (selected: Selected, id: string, isRange = false): Selected => toggle(selected, ROWS, { id, isRange });

test("a row is selected, and not any more", () => {
  const one = press(NOTHING, "b");
  assert.equal(idsOf(one), "b");
  assert.equal(idsOf(press(one, "b")), "");
});

test("with Shift everything up to the row touched last becomes what the row becomes, in either direction", () => {
  const down = press(press(NOTHING, "b"), "d", true);
  assert.equal(idsOf(down), "bcd");
  const up = press(press(NOTHING, "e"), "c", true);
  assert.equal(idsOf(up), "cde");
  assert.equal(idsOf(press(press(down, "d"), "c", true)), "b", "also away");
});

test("a range without a beginning, or from a row that has gone, is the row alone", () => {
  assert.equal(idsOf(press(NOTHING, "c", true)), "c");
  assert.equal(idsOf(toggle({ ids: new Set(["z"]), anchor: "z" }, ROWS, { id: "c", isRange: true })), "cz");
});

test("the page is selected whole, and then not at all", () => {
  const all = toggleAll(press(NOTHING, "a"), ROWS);
  assert.equal(idsOf(all), "abcde");
  assert.equal(idsOf(toggleAll(all, ROWS)), "");
});
