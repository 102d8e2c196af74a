/** Finds where a reading of an answer has a secret, or enough of one. Pure, and linear in the reading. */
import type { Reading } from "./readings.ts";
import { BEGINNING_CHARS_MIN, type Grams, SKELETON_GRAM, type Secrets, fold, looksRandom, startAt } from "./secrets.ts";

/** From the first character to the one after the last. */
export type Range = readonly [from: number, to: number];

/** Ranges of the original text, in no order. `isCut` says that the answer goes on where we stopped reading. */
export function findSecrets(reading: Reading, secrets: Secrets, isCut: boolean): Range[] {
  const bones = toBones(reading.text);
  const endOfWhole = isCut ? wholeBones(reading.text, bones) : Infinity;
  const place = { text: reading.text, bones, secrets };
  const skeletons = findStretches(bones.skeleton, secrets.skeletons)
    .filter((stretch) => stretch.to >= endOfWhole || isSecret(stretch, reading.text, bones))
    .map(({ from, to }) => withEdges([from, to], place));
  const folded = secrets.texts.needed.size === 0 ? "" : fold(reading.text);
  const texts = findStretches(folded, secrets.texts)
    .filter(({ from, to, needed }) => to - from >= needed)
    .map(({ from, to }): Range => [from - findLead(folded.slice(from, from + secrets.texts.size), from, place), to]);
  const cut = isCut ? beginningAt(endOfWhole, place) : [];
  return [...skeletons, ...texts, ...cut].map(([from, to]) => [reading.start(from), reading.end(to - 1)]);
}

interface Bones {
  /** Letters and digits in lower case. */
  readonly skeleton: string;
  /** The place of each of them in the reading. */
  readonly at: Int32Array;
}

function toBones(text: string): Bones {
  const at = new Int32Array(text.length);
  const letters = Buffer.allocUnsafe(text.length);
  let count = 0;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    const small = code | 0x20;
    if (!(code >= DIGIT_0 && code <= DIGIT_9) && !(small >= LETTER_A && small <= LETTER_Z)) continue;
    at[count] = index;
    // Every digit already has the bit that makes a letter lower case.
    letters[count] = small;
    count += 1;
  }
  return { skeleton: letters.toString("latin1", 0, count), at };
}

const [DIGIT_0, DIGIT_9, LETTER_A, LETTER_Z] = [0x30, 0x39, 0x61, 0x7a];

interface Stretch {
  readonly from: number;
  readonly to: number;
  /** The length that it needs to count as the secret. */
  readonly needed: number;
}

/** The longest parts in which every gram belongs to a secret. */
function findStretches(text: string, { size, needed, starts }: Grams): Stretch[] {
  const found: Stretch[] = [];
  let open: { from: number; to: number; needed: number } | null = null;
  for (let index = 0; index + size <= text.length; index += 1) {
    const need = starts[startAt(text, index)] === 1 ? needed.get(text.slice(index, index + size)) : undefined;
    if (need === undefined) {
      open = null;
    } else if (open === null) {
      open = { from: index, to: index + size, needed: need };
      found.push(open);
    } else {
      open.to = index + size;
      open.needed = Math.min(open.needed, need);
    }
  }
  return found;
}

/**
 * True for a whole value, for sixteen characters of it, and for fewer that are not words: ordinary answers contain
 * words of a secret.
 */
function isSecret({ from, to, needed }: Stretch, text: string, { at }: Bones): boolean {
  return to - from >= needed || looksRandom(text.slice(at[from], (at[to - 1] ?? 0) + 1));
}

interface Place {
  readonly text: string;
  readonly bones: Bones;
  readonly secrets: Secrets;
}

/** Adds the scheme, brackets and padding around the letters and digits, where the answer has them. */
function withEdges([from, to]: Range, { text, bones, secrets }: Place): Range {
  const { skeleton, at } = bones;
  const start = at[from] ?? 0;
  const end = (at[to - 1] ?? 0) + 1;
  const lead = findLead(skeleton.slice(from, from + SKELETON_GRAM), start, { text, secrets });
  const trail = secrets.trails.get(skeleton.slice(to - SKELETON_GRAM, to)) ?? "";
  return [start - lead, end + (isAlike(text.slice(end, end + trail.length), trail) ? trail.length : 0)];
}

/** The number of characters before `start` that belong to the secret with this first gram. */
function findLead(gram: string, start: number, { text, secrets }: Pick<Place, "text" | "secrets">): number {
  const leads = secrets.leads.get(gram) ?? [];
  return leads.find((one) => isAlike(text.slice(Math.max(start - one.length, 0), start), one))?.length ?? 0;
}

/** A form writes a blank as `+`. */
const isAlike = (a: string, b: string): boolean => fold(a).replaceAll("+", " ") === fold(b).replaceAll("+", " ");

/** The number of letters and digits before an escape that was cut in two. */
function wholeBones(text: string, { skeleton, at }: Bones): number {
  const [half = ""] =
    /(?:\\{1,8}(?:u[0-9a-fA-F]{0,3}|x[0-9a-fA-F]?)?|%[0-9a-fA-F]?|&#?\w{0,8})$/.exec(text.slice(-20)) ?? [];
  let count = skeleton.length;
  while (count > 0 && (at[count - 1] ?? 0) >= text.length - half.length) count -= 1;
  return count;
}

/** Finds a secret of which only the first characters were read. */
function beginningAt(end: number, { text, bones: { skeleton, at }, secrets }: Place): Range[] {
  for (let length = SKELETON_GRAM - 1; length >= BEGINNING_CHARS_MIN; length -= 1) {
    if (length <= end && secrets.beginnings.has(skeleton.slice(end - length, end))) {
      return [[at[end - length] ?? 0, text.length]];
    }
  }
  return [];
}
