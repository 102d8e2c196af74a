/** "Did you mean …": the known name that a mistyped one was probably meant to be. */

/** Longer names are not compared: people do not mistype them, and the comparison is quadratic. */
const NAME_CHARS_MAX = 64;

/** Guess, above every list that people mistype a name of. A schema may have ten thousand. */
const NAMES_COMPARED_MAX = 500;

/** The nearest of `names` if it is near enough (a third of the letters may differ), otherwise `undefined`. */
export function nearestName(given: string, names: readonly string[]): string | undefined {
  if (given.length > NAME_CHARS_MAX) return undefined;
  const plain = simplify(given);
  let nearest: string | undefined;
  let leastEdits = Math.max(1, Math.floor(plain.length / 3)) + 1;
  for (const name of names.slice(0, NAMES_COMPARED_MAX)) {
    const other = simplify(name);
    if (Math.abs(other.length - plain.length) >= leastEdits) continue;
    const edits = countEdits(plain, other);
    if (edits < leastEdits) [nearest, leastEdits] = [name, edits];
  }
  return nearest;
}

/** `viewedAt`, `Viewed-At` and `viewed_at` are one name in three styles. */
const simplify = (name: string): string => name.toLowerCase().replaceAll(/[_\s-]/g, "");

/** Levenshtein's distance, one row of the table at a time. */
function countEdits(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let i = 1; i <= from.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= to.length; j += 1) {
      const replaced = (row[j - 1] ?? 0) + (from[i - 1] === to[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[to.length] ?? 0;
}
