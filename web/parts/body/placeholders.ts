/**
 * Placeholders of a template while somebody types them: which one the caret stands in, which fields fit what is typed
 * of it, and the text once a field is chosen. Pure.
 */
import type { OfferedField } from "./wanted-events.ts";

/** The part of a text that somebody types a path into. */
export interface OpenPlaceholder {
  /** Where the path begins, behind the braces and blanks. */
  readonly from: number;
  /** The path as far as the caret. */
  readonly typed: string;
}

/** Two braces before the caret, and neither an end, a fallback, a quote nor a line between. */
const OPEN = /\{\{[ \t]*([^{}|"\n]*)$/;

export function findOpenPlaceholder(text: string, caret: number): OpenPlaceholder | null {
  const typed = OPEN.exec(text.slice(0, caret))?.[1];
  return typed === undefined ? null : { from: caret - typed.length, typed };
}

/** More than fit into the list are reached by typing on. Guess. */
const OFFERED_MAX = 50;

/** Those that begin so first, then those that have it anywhere. */
export function offerFields(fields: readonly OfferedField[], typed: string): readonly OfferedField[] {
  const wanted = typed.trim().toLowerCase();
  const lowered = fields.map((field) => ({ field, path: field.path.toLowerCase() }));
  const first = lowered.filter(({ path }) => path.startsWith(wanted));
  const others = lowered.filter(({ path }) => !path.startsWith(wanted) && path.includes(wanted));
  return [...first, ...others].slice(0, OFFERED_MAX).map(({ field }) => field);
}

export interface Edited {
  readonly text: string;
  readonly caret: number;
}

/** With the path in the place of what is typed of it, and its end; a fallback behind it stays. */
export function completePlaceholder(text: string, caret: number, path: string): Edited {
  const open = findOpenPlaceholder(text, caret);
  if (open === null) return { text, caret };
  const rest = text.slice(caret).replace(/^[^{}|"\n]*/, "");
  const hasEnd = rest.startsWith("}}") || rest.startsWith("|");
  const start = `${text.slice(0, open.from)}${path}`;
  // Behind the end, ready for what follows it.
  return { text: `${start}${hasEnd ? "" : "}}"}${rest}`, caret: start.length + (rest.startsWith("|") ? 0 : 2) };
}

/** With two braces at the caret, for the list to open; in quotes where a value of JSON stands. */
export function beginPlaceholder(text: string, caret: number): Edited {
  const isInString =
    (text.slice(text.lastIndexOf("\n", caret - 1) + 1, caret).match(/(?<!\\)"/g) ?? []).length % 2 === 1;
  const [before, after] = isInString ? ["{{", "}}"] : ['"{{', '}}"'];
  return {
    text: `${text.slice(0, caret)}${before}${after}${text.slice(caret)}`,
    caret: caret + before.length,
  };
}

/** From 1; `null` where the words name no line. */
export const lineOf = (error: string | undefined): number | null => {
  const [, line] = /\bline (\d+)/i.exec(error ?? "") ?? [];
  return line === undefined ? null : Number(line);
};
