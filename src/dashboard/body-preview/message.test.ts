import assert from "node:assert/strict";
import { test } from "node:test";
import { parseTemplate } from "../../bodies/template.ts";
import { CHAT_TOOLS } from "../../domain/body.ts";
import { toTemplate } from "./message.ts";

/** Names as a product may declare them; those of the second kind cannot be written as a placeholder. */
const NAMES = ['say "hi"', "back\\slash", "value1x", "with space"];
const UNWRITABLE = ["a|b", "a}}b", "{{a", " blank"];

for (const kind of CHAT_TOOLS) {
  test(`a message for ${kind} is a template that can be read, whatever its fields are called`, () => {
    const names = [...NAMES, ...UNWRITABLE];
    const recipe = {
      title: "Order paid",
      noun: "event",
      who: [["who"]],
      what: [],
      facts: names.map((name, n) => [`Fact ${n}`, name]),
      link: null,
      occurredAt: null,
    };
    const text = JSON.stringify({ kind, version: 1, recipe });
    const body = JSON.stringify(Object.fromEntries([...names, "who"].map((name) => [name, "a value"])));
    const template = parseTemplate(toTemplate({ id: "", text }, { body, webhookId: "dlv_1", acceptedAtMs: 0 }));
    assert.ok(template.ok, JSON.stringify(template));
    const paths = template.value.pieces.flatMap((piece) => (typeof piece === "string" ? [] : [piece.path]));
    assert.deepEqual([...new Set(paths)].toSorted(), [...NAMES, "who"].toSorted());
  });
}
