import assert from "node:assert/strict";
import { test } from "node:test";
import { toOpeningRefusals } from "./opening-refusals.ts";

test("a link and a code that open nothing say the same, but for their name and the way to a new one", () => {
  const link = toOpeningRefusals({ thing: "sign-in link", howToGetOne: "Ask for a link." });
  const code = toOpeningRefusals({ thing: "code", howToGetOne: "Make a code." });
  for (const [kind, { code: stable, detail }] of Object.entries(link)) {
    const same = code[kind as keyof typeof code];
    assert.equal(same.code, stable, kind);
    assert.equal(same.detail, detail.replaceAll("sign-in link", "code").replace("Ask for a link.", "Make a code."));
    assert.match(detail, /sign-in link .* Ask for a link\.$/, "it names the thing, and ends with what to do next");
  }
});
