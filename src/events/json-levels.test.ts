import assert from "node:assert/strict";
import { test } from "node:test";
import { isTooDeep } from "./json-levels.ts";

for (const text of ['[[{"a":[1]}]]', '{"a":[],"b":{"c":[{}]},"d":[[]]}', "[[], [ {} , [[]] ]]"]) {
  test(`${text} has as many levels as its value`, () => {
    const levels = countLevels(JSON.parse(text));
    assert.deepEqual([isTooDeep(text, levels), isTooDeep(text, levels - 1)], [false, true]);
  });
}

for (const word of ['"', "\\", '\\"', "[{", '[{"]}[', "\\\\", '"[[\\"{{']) {
  test(`signs in a string and in a name are no levels: ${word}`, () => {
    const text = JSON.stringify({ [word]: [word, { a: word }] });
    assert.deepEqual([isTooDeep(text, 3), isTooDeep(text, 2)], [false, true]);
  });
}

const countLevels = (value: unknown): number =>
  typeof value === "object" && value !== null ? 1 + Math.max(0, ...Object.values(value).map(countLevels)) : 0;
