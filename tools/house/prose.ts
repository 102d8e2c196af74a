/**
 * Comments as prose: the words and openings that make a sentence hard to read at first sight. The rule is "subject
 * first, name the actor, plain current English".
 */
import type { Source } from "./sources.ts";

/** Counted together: their place in a sentence is where the actor should be named. */
const FAMILY = [/\b(?:whoever|whomever|whose|nobody|so many|so much|for ever)\b/gi, /\b(?:it|there|that) is no\b/gi];
/** As a sentence's first word; a question may begin with "What". */
const OPENING = /(?:^|[.:!?]\s+)(?:Of|What|Whoever|Whose)\b[^.?!]*(?:[.!]|$)/gm;

export const findFamily = ({ text }: Source): string[] =>
  FAMILY.flatMap((pattern) => commentsOf(text).match(pattern) ?? []);

export const findOpenings = ({ text }: Source): string[] => commentsOf(text).match(OPENING) ?? [];

/** How often words of the family, and openings, stand in a thousand words of comments. */
export function measureProse(sources: readonly Source[]): { readonly family: number; readonly openings: number } {
  const words = sources.reduce((sum, source) => sum + countWords(source), 0);
  const count = (find: (source: Source) => string[]): number => sources.flatMap(find).length;
  return { family: (count(findFamily) * 1000) / words, openings: (count(findOpenings) * 1000) / words };
}

export const countWords = ({ text }: Source): number => wordsOf(commentsOf(text));

const wordsOf = (prose: string): number => prose.match(/[A-Za-z][A-Za-z'’-]*/g)?.length ?? 0;

/** One line of prose for each comment, without stars, slashes and code in backquotes. */
function commentsOf(text: string): string {
  const blocks = [...text.matchAll(/\/\*\*?([\s\S]*?)\*\//g)].map(([, inner = ""]) => inner);
  const lines = [...text.matchAll(/(?:^|\s)\/\/ (.*)/g)].map(([, inner = ""]) => inner);
  return [...blocks, ...lines]
    .map((comment) =>
      comment
        .replaceAll(/\n\s*\*/g, " ")
        .replaceAll(/`[^`]*`/g, "x")
        .replaceAll(/\s+/g, " ")
        .trim(),
    )
    .join("\n");
}
