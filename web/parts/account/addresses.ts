/** E-mail addresses as they are typed into one field, and what is said of the one that was refused. */
import { ApiProblem } from "../../api-problem.ts";

export const addressesIn = (text: string): string[] => text.split(/[\s,;]+/).filter((address) => address !== "");

/** `sent` is the list that was refused: of several addresses the sentence names the bad one. */
export function refusalInWords(error: Error | null, sent: readonly string[]): string | undefined {
  if (error === null) return undefined;
  const [first] = error instanceof ApiProblem ? error.errors : [];
  if (first === undefined) return error.message;
  const [, index] = /addresses\[(\d+)\]$/.exec(first.path) ?? [];
  const bad = index === undefined ? undefined : sent[Number(index)];
  return bad === undefined ? first.message : `“${bad}” ${first.message}`;
}
