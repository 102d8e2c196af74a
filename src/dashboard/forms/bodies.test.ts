import assert from "node:assert/strict";
import { test } from "node:test";
import { makeAlertForm } from "../../../test/kit/make.ts";
import { takesNoTime } from "../../../test/kit/world/takes-no-time.ts";
import { createValidator } from "../../events/validate.ts";
import { alertForm } from "./bodies.ts";

const validate = createValidator(alertForm);

const findFaults = (name: string): string[] =>
  validate(makeAlertForm({ name, webhooksOn: false, webhook: null })).map(({ path }) => path);

for (const name of ["New leads", " a ", "Zoë 東京", "👩‍💻", "a\u200db", "x".repeat(200)]) {
  test(`${JSON.stringify(name).slice(0, 30)} is a name`, () => assert.deepEqual(findFaults(name), []));
}

for (const name of ["", "   ", "\u200d", "a\nb", "a\u2028b", "a\u202eb", "\u2066a", "x".repeat(201)]) {
  test(`${JSON.stringify(name).slice(0, 30)} is none`, () => assert.deepEqual(findFaults(name), ["name"]));
}

test("a name of any length is refused at once", () => {
  const name = `${"a".repeat(400_000)}\n`;
  assert.ok(takesNoTime(() => assert.deepEqual(findFaults(name), ["name"])));
});
