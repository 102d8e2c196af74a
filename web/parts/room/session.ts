/** A demo session out of its payload, for its page. Pure. */
import { digitsOf, flagOf, instantOf, membersOf, readBody, textOf, textsOf, writtenOf } from "../json/json-reader.ts";
import { toMs } from "./conversation.ts";
import { type NamedFact, type Visitor, readVisitor } from "./visitor.ts";

export interface Session {
  readonly visitor: Visitor;
  readonly demo: string;
  readonly viewedAtMs: number | null;
  /** Per cent, as written: "72.5"; "" when it is not known. */
  readonly completion: string;
  readonly timeSpentMs: number | null;
  readonly intent: string;
  readonly isChecklistCompleted: boolean | null;
  readonly ctaOpened: string;
  readonly link: { readonly name: string; readonly url: string };
  /** In the order of the visit. */
  readonly referers: readonly string[];
  readonly campaign: readonly NamedFact[];
}

export function readSession(bodyText: string): Session {
  const body = readBody(bodyText);
  return {
    visitor: readVisitor(body),
    demo: textOf(body.get("name")),
    viewedAtMs: instantOf(body.get("viewed_at")),
    completion: digitsOf(body.get("completion")),
    timeSpentMs: toMs(digitsOf(body.get("time_spent"))),
    intent: textOf(body.get("intent_level")),
    isChecklistCompleted: flagOf(body.get("checklist_completed")),
    ctaOpened: textOf(body.get("cta_opened")),
    link: { name: textOf(body.get("link_name")), url: textOf(body.get("link")) },
    referers: textsOf(body.get("referers")),
    campaign: [...membersOf(body.get("utm_params"))].map(([name, node]) => [name, writtenOf(node)]),
  };
}
