/**
 * Makes a webhook's body of its text and an event: the same text and event make the same bytes, for ever and on every
 * node, so that the log can show what was sent without anybody keeping it. `delivery` calls it right before it sends.
 */
import { LIMITS } from "../domain/limits.ts";
import type { Result } from "../domain/problem.ts";
import { ok, refuse } from "../lib/result.ts";
import type { BodySource, BodyText, WrittenText } from "./body-text.ts";
import { fillRecipe } from "./chat/recipe.ts";
import { findWriter, isChatTool } from "./chat/tools.ts";
import { escapeText, parseTemplate, type Slot, type Template } from "./template.ts";
import { createValues, type Values } from "./values.ts";

/** Why there is no body; a person reads it. */
export interface BodyFault {
  readonly message: string;
}

export function renderBody(text: BodyText, source: BodySource): Result<string, BodyFault> {
  const made = compiled.getOrInsertComputed(text, compile)(createValues(source));
  return made.ok && Buffer.byteLength(made.value) > LIMITS.madeBodyBytesMax ? tooLarge : made;
}

type Render = (values: Values) => Result<string, BodyFault>;

/** Read once for as long as somebody holds the text: `bodyTextOf` gives the same one each time. */
const compiled = new WeakMap<BodyText, Render>();

function compile({ text }: BodyText): Render {
  const written = JSON.parse(text) as WrittenText;
  if (written.kind === "template") {
    const template = parseTemplate(written.template);
    return template.ok ? (values) => fillTemplate(template.value, values) : () => unreadable;
  }
  const write = isChatTool(written.kind) ? findWriter(written.kind, written.version) : undefined;
  return write === undefined ? () => unreadable : (values) => ok(write(fillRecipe(written.recipe, values)));
}

function fillTemplate({ pieces }: Template, values: Values): Result<string, BodyFault> {
  let body = "";
  for (const piece of pieces) {
    body += typeof piece === "string" ? piece : fillSlot(piece, values);
    // A character has one byte or more.
    if (body.length > LIMITS.madeBodyBytesMax) return tooLarge;
  }
  return values.isSpent ? tooMuchWork : ok(body);
}

function fillSlot({ path, fallback, isAlone }: Slot, values: Values): string {
  if (isAlone) return values.json(path) ?? JSON.stringify(fallback);
  const text = values.text(path);
  return escapeText(text === "" ? (fallback ?? "") : text);
}

const tooLarge = refuse<BodyFault>({
  message: `The body would have more than ${LIMITS.madeBodyBytesMax / 1024} KiB with the values of this event.`,
});
const tooMuchWork = refuse<BodyFault>({
  message: "The body would take too much work: its template goes through too many items of this event's lists.",
});
const unreadable = refuse<BodyFault>({
  message: "This node cannot read the text that the body is made of: a newer version has written it.",
});
