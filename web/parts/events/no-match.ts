/** The words of an empty list of sessions or conversations. Pure. */

/**
 * Why the list is empty; `what`: "session". A list that was read in part claims nothing of the rest: the line above it
 * says how far back that came.
 */
export function noMatch(search: URLSearchParams, what: string, isPart: boolean): string {
  if (isPart) return "“Older” looks further back.";
  if (!search.has("q")) return `Every ${what} went to every webhook that there was.`;
  const missing = `No ${what} has all of these words, and none has this id`;
  return search.has("not_sent") ? `${missing}, among those that a webhook did not get.` : `${missing}.`;
}
