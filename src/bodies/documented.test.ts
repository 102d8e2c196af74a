/** The templates of docs/bodies.md, as somebody who copies them into the form would meet them. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { BUILT_IN_TYPES } from "../events/event-types.ts";
import { bodyTextOf } from "./body-text.ts";
import { renderBody } from "./render-body.ts";
import { checkTemplate } from "./template.ts";

const PAGE = readFileSync(new URL("../../docs/bodies.md", import.meta.url), "utf8");
const APP_URL = "https://app.example.com";

/** Each with the type that the page names last before it. */
const DOCUMENTED = Array.from(PAGE.matchAll(/For `(\w+)`|```json\n([^]*?)\n```/g)).reduce<
  { readonly name: string; readonly template: string }[]
>((found, [, type, template]) => {
  if (template !== undefined) found.push({ name: found.at(-1)?.name ?? "", template });
  return type === undefined ? found : [...found, { name: type, template: "" }];
}, []);
const TEMPLATES = DOCUMENTED.filter(({ template }) => template !== "");

test("the page has ten templates to copy", () => assert.equal(TEMPLATES.length, 10));

for (const { name, template } of TEMPLATES) {
  test(`is taken without a warning, and made of an event that has a value everywhere: ${template}`, () => {
    const eventType = BUILT_IN_TYPES.find(name);
    assert.ok(eventType !== undefined, name);
    assert.deepEqual(checkTemplate([eventType], template), { ok: true, value: [] });
    const record = eventType.parse(eventType.newExample(0, "3c4d9a1e-52f7-4f63-8a7d-0b6c1e2f9d10"));
    assert.ok(record.ok);
    const text = bodyTextOf({ body: "template", template }, { eventType, name });
    assert.ok(text !== null);
    const body = record.value.buildBody({ appUrl: APP_URL });
    const made = renderBody(text, { body, webhookId: "dlv_1", acceptedAtMs: 0 });
    assert.ok(made.ok);
    assert.deepEqual(Object.keys(JSON.parse(made.value) as object), Object.keys(JSON.parse(template) as object));
    assert.doesNotMatch(made.value, /\{\{|null|: ?""/);
  });
}
