import assert from "node:assert/strict";
import { test } from "node:test";
import { Fragment, type ReactElement, type ReactNode, createElement, isValidElement } from "react";
import { withTextAlone } from "./text-alone.ts";

const icon = createElement("svg");

/** Children as a reader would write them: a span that was added is in brackets, and an icon is a star. */
function read(type: unknown, children: ReactNode): unknown {
  const show = (child: ReactNode): unknown => {
    if (Array.isArray(child)) return child.map(show);
    if (!isValidElement(child)) return child;
    return child.type === "svg" ? "*" : `[${(child as ReactElement<{ children: string }>).props.children}]`;
  };
  return show(withTextAlone(type, { children }).children);
}

for (const [what, children, alone] of [
  ["one text stays as it is", "Save", "Save"],
  ["texts and numbers that follow each other become one", [12, "+", " new"], "12+ new"],
  ["what shows nothing does not part them", ["a", false, null, "", "b"], "ab"],
  ["a text beside an element gets one of its own", [icon, "Save"], ["*", "[Save]"]],
  ["elements keep their places", ["a", "b", icon, "c"], ["[ab]", null, "*", "[c]"]],
  ["a blank between elements is a text", [icon, " ", icon], ["*", "[ ]", "*"]],
  ["so is a list's", [["a", icon], "b"], [["[a]", "*"], "[b]"]],
  ["elements alone stay as they are", [icon, false, icon], ["*", false, "*"]],
  ["nothing stays nothing", [null, false], [null, false]],
] as const satisfies readonly (readonly [string, ReactNode, unknown])[]) {
  test(what, () => assert.deepEqual(read("p", children), alone));
}

test("code is not for translators", () => {
  assert.deepEqual(withTextAlone("code", { children: "evt_1" }), { translate: "no", children: "evt_1" });
});

test("a fragment's text gets an element, whatever stands beside the fragment", () => {
  assert.equal(read(Fragment, "Save"), "[Save]");
  assert.deepEqual(read(Fragment, ["a", 1]), ["[a1]", null]);
});
