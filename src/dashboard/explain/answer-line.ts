/**
 * One line of what came back, to stand under the sentence that says why a delivery did not arrive. It is made of the
 * same text as the view of the whole answer, in which secrets are masked. Pure.
 */
import type { ExplainedOutcome } from "../contract/outcomes.ts";
import { shortened } from "./words.ts";

/** A sentence of an error stands in the first lines; a stack trace or a page of HTML goes on for long. */
const READ_CHARS_MAX = 4_096;

/** The words of the failure where no answer came; empty where an answer had no text. */
export function toAnswerLine({ response, technical }: Pick<ExplainedOutcome, "response" | "technical">): string {
  if (response === null) return findLine(technical);
  return response.body.kind === "text" ? findLine(toWords(response.body.text.slice(0, READ_CHARS_MAX))) : "";
}

/** JSON is one line however it is written, and a page of HTML says its cause in its title. */
function toWords(text: string): string {
  if (/^\s*[[{]/.test(text)) return text.replace(/\s+/g, " ");
  if (!/^\s*<(?:!doctype|html|head|body|title)\b/i.test(text)) return text;
  return /<title[^>]*>([^<]+)</i.exec(text)?.[1] ?? text.replace(/<[^>]*>/g, "\n");
}

function findLine(text: string): string {
  const lines = text.split(/[\r\n]+/).map((line) => line.trim());
  return shortened(lines.find((line) => line !== "") ?? "");
}
