import assert from "node:assert/strict";
import { test } from "node:test";
import { splitFieldValues } from "../../../src/domain/field-values.ts";
import { askAgainMs } from "./ask-again.ts";

test("a search for values of fields is asked again every half minute, any other list with its news", () => {
  const values = [
    "city:Berlin",
    "jane lead.email:jane@acme.example",
    'name:"Product tour"',
    "utm_source:goo*",
    "a-b:1",
  ];
  const others = ["", "jane", "https://acme.example", "at 10:30", "city: Berlin", "dlv_01:", "10:a"];
  for (const q of [...values, ...others]) {
    const isForValues = splitFieldValues(q).values.length > 0;
    assert.equal(isForValues, values.includes(q), q);
    assert.equal(askAgainMs(q, 1_000), isForValues ? 30_000 : 1_000, q);
  }
});
