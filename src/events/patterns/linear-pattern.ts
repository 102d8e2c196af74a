/**
 * Matches texts against a regular expression in time that is linear in the text, whatever the two are: the text is read
 * once, and all ways through the pattern are followed at the same time. `RegExp` tries one after the other: seconds for
 * 30 characters and `^(\w+\s?)*$`. The ways that were open together are kept, so that an ordinary text costs a look-up
 * for each character. Every step is counted: libraries that do this read another language than ECMAScript and count
 * nothing (re2js 2.10: 13 s for `a[ab]{900}$` and 1 MiB).
 */
import { type PatternNode, readPattern } from "./read-pattern.ts";

/** What may still be done for a record: below 0, it was not enough. */
export interface Steps {
  left: number;
}

export interface LinearPattern {
  /** As `RegExp.test`. When the steps were not enough, the answer says nothing. */
  test(text: string, steps: Steps): boolean;
}

/** For a record: 0.3 s. A text of 1 MiB takes 4,096 for each pattern that reads all of it. */
export const RECORD_STEPS_MAX = 50_000;
/** A step is so many characters, or a quarter as many instructions: about 5 µs either way. */
const UNITS_A_STEP = 256;
const UNITS_AN_INSTRUCTION = 4;
/** Guess: 2 MB for a pattern that needs it. Ordinary ones keep some dozens. */
const KEPT_MAX = 20_000;

const known = new Map<string, LinearPattern>();

/** Made once: a program has the patterns of its schemas. */
export const linearPattern = (source: string): LinearPattern =>
  known.getOrInsertComputed(source, () => {
    const read = readPattern(source);
    // One of ours, then: an operator's has been refused.
    return read.ok ? createMatcher(compile(read.value)) : new RegExp(source, "u");
  });

type Instruction =
  | { readonly kind: "one"; readonly is: RegExp; readonly next: Instruction }
  | { readonly kind: "edge"; readonly edge: string; readonly next: Instruction }
  | { readonly kind: "ways"; ways: readonly Instruction[] }
  | { readonly kind: "end" };

/** From its end to its beginning: each part knows what follows it. */
function compile(node: PatternNode, next: Instruction = { kind: "end" }): Instruction {
  if (node.kind === "one" || node.kind === "edge") return { ...node, next };
  if (node.kind === "any") return { kind: "ways", ways: node.parts.map((part) => compile(part, next)) };
  if (node.kind === "all") return node.parts.reduceRight((after, part) => compile(part, after), next);
  const { part, min, max } = node;
  let entry = next;
  if (max === Infinity) {
    const loop: Instruction = { kind: "ways", ways: [] };
    const again = compile(part, loop);
    loop.ways = [again, next];
    entry = min === 0 ? loop : again;
  }
  const more = max === Infinity ? 0 : max - min;
  for (let times = 0; times < more; times++) entry = { kind: "ways", ways: [compile(part, entry), next] };
  const less = max === Infinity ? min - 1 : min;
  for (let times = 0; times < less; times++) entry = compile(part, entry);
  return entry;
}

/** All ways that are open between two characters. */
interface State {
  readonly open: readonly Instruction[];
  readonly before: "start" | "word" | "other";
  /** By the next character; the empty text is the end. */
  readonly next: Map<string, State>;
}

const FOUND: State = { open: [], before: "other", next: new Map() };

function createMatcher(program: Instruction): LinearPattern {
  const numbers = new Map<Instruction, number>();
  const numberOf = (instruction: Instruction): number => numbers.getOrInsert(instruction, numbers.size);
  const later = listLaterStarts(program);
  const states = new Map<string, State>();
  let kept = 0;
  const stateOf = (open: readonly Instruction[], before: State["before"]): State => {
    const key = open.map(numberOf).toSorted((one, other) => one - other);
    kept += open.length + 1;
    return states.getOrInsertComputed(`${before} ${key.join()}`, () => ({ open, before, next: new Map() }));
  };
  let start = stateOf([program], "start");

  /** Where a character leads from there, and how many instructions were looked at. */
  const follow = (state: State, character: string): readonly [state: State, looked: number] => {
    const isWord = /\w/.test(character);
    const isAt = (edge: string): boolean => {
      if (edge === "^") return state.before === "start";
      return edge === "$" ? character === "" : ((state.before === "word") === isWord) === (edge === "\\B");
    };
    const met = new Set(state.open);
    const open = new Set(later);
    for (const each of met) {
      if (each.kind === "end") return [FOUND, met.size];
      if (each.kind === "ways") for (const way of each.ways) met.add(way);
      else if (each.kind === "edge" && isAt(each.edge)) met.add(each.next);
      else if (each.kind === "one" && each.is.test(character)) open.add(each.next);
    }
    return [stateOf([...open], isWord ? "word" : "other"), met.size + open.size];
  };

  const step = (state: State, character: string): readonly [state: State, looked: number] => {
    const next = state.next.get(character);
    if (next !== undefined) return [next, 0];
    if (kept > KEPT_MAX) {
      states.clear();
      kept = 0;
      start = stateOf([program], "start");
    }
    const followed = follow(state, character);
    state.next.set(character, followed[0]);
    return followed;
  };

  return {
    test(text, steps) {
      let state = start;
      let unitsLeft = steps.left * UNITS_A_STEP;
      for (let index = 0; index <= text.length && state.open.length > 0 && unitsLeft >= 0;) {
        const code = text.codePointAt(index);
        const character = code === undefined ? "" : String.fromCodePoint(code);
        const [next, looked] = step(state, character);
        state = next;
        unitsLeft -= 1 + looked * UNITS_AN_INSTRUCTION;
        index += character.length || 1;
      }
      steps.left = Math.floor(unitsLeft / UNITS_A_STEP);
      return state === FOUND;
    },
  };
}

/** Where a match may begin behind the first character: all but the ways that ask for the text's beginning. */
function listLaterStarts(program: Instruction): readonly Instruction[] {
  const met = new Set([program]);
  for (const each of met) if (each.kind === "ways") for (const way of each.ways) met.add(way);
  return [...met].filter((each) => each.kind !== "ways" && !(each.kind === "edge" && each.edge === "^"));
}
