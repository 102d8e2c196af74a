/**
 * A rule of the linter: no code names a type of event outside of `src/events`. Code that compares with a name treats
 * all other types alike, and a new one is then wrong without a word. Ask the type for what differs, or take its own
 * `type`.
 */
import { BUILT_IN_TYPES } from "../../src/events/event-types.ts";

interface RuleContext {
  report(found: { readonly node: object; readonly message: string }): void;
}

const NAMED = new RegExp(`\\b(?:${BUILT_IN_TYPES.all.map(({ type }) => type).join("|")})\\b`);

const message = "Types of events are named in src/events: ask the type for what differs.";

const noEventTypeName = {
  create: (context: RuleContext) => {
    const reportIf = (node: object, text: unknown): void => {
      if (typeof text === "string" && NAMED.test(text)) context.report({ node, message });
    };
    return {
      Literal: (node: { readonly value: unknown }) => reportIf(node, node.value),
      Identifier: (node: { readonly name: string }) => reportIf(node, node.name),
      TemplateElement: (node: { readonly value: { readonly raw: string } }) => reportIf(node, node.value.raw),
    };
  },
};

/** The form in which the linter loads rules. */
export default { meta: { name: "house" }, rules: { "no-event-type-name": noEventTypeName } };
