import assert from "node:assert/strict";
import { test } from "node:test";
import { foldedLabel, isDeeperThan, type JsonNode, parseNodes } from "./json-nodes.ts";

/** A node as JSON text again, to compare with what went in. */
function written(node: JsonNode): string {
  if (!("members" in node)) return node.text;
  const members = node.members.map(({ key, value }) => (key === null ? written(value) : `${key}:${written(value)}`));
  return node.kind === "object" ? `{${members.join(",")}}` : `[${members.join(",")}]`;
}

for (const text of [
  `{"a":12345678901234567890,"b":1e400,"c":-0.10,"d":"\\u0041\\"}{,:"}`,
  `{"a":1,"a":2}`,
  `[]`,
  `{}`,
  `[[],{},[{"x":[null,true,false]}]]`,
  `"alone"`,
  `7`,
]) {
  test(`keeps every value as it was written: ${text}`, () => {
    const node = parseNodes(text);
    assert.ok(node !== null);
    assert.equal(written(node), text);
  });
}

test("white space between the parts changes nothing", () => {
  const node = parseNodes(` { "a" : [ 1 , 2 ] ,\n"b" : { } } `);
  assert.ok(node !== null);
  assert.equal(written(node), `{"a":[1,2],"b":{}}`);
});

test("what is not JSON has no tree", () => {
  for (const text of ["", "<html>", "{", "{'a':1}"]) assert.equal(parseNodes(text), null, text);
});

test("a folded part says how much is in it", () => {
  const node = parseNodes(`{"a":[1],"b":2}`);
  assert.ok(node !== null && "members" in node);
  assert.equal(foldedLabel(node), "{ 2 fields }");
  const [first] = node.members;
  assert.ok(first !== undefined && "members" in first.value);
  assert.equal(foldedLabel(first.value), "[ 1 item ]");
});

test("tells whether something is folded while its first two levels are open", () => {
  const isDeep = (text: string): boolean => isDeeperThan(parseNodes(text) as JsonNode, 2);
  assert.deepEqual([`"a"`, `{}`, `{"a":{"b":1}}`, `{"a":{"b":[]}}`, `{"a":{"b":[1]}}`, `[[[{}]]]`].map(isDeep), [
    false,
    false,
    false,
    false,
    true,
    true,
  ]);
});
