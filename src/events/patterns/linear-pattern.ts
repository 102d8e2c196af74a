/**
 * Matches texts against a regular expression in time that is linear in the text, whatever the two are: the text is read
 * once, and all ways through the pattern are followed at the same time. `RegExp` tries one after the other: seconds for
 * 30 characters and `^(\w+\s?)*$`. Each set of ways that are open at once is cached, so that an ordinary text costs a
 * look-up for each character. Every step is counted. ADR 28 says why no library does it.
 */
import { type Steps, stepsFor } from "../../lib/steps.ts";
import { type PatternNode, readPattern } from "./read-pattern.ts";

export interface LinearPattern {
  /** As `RegExp.test`. When the steps were not enough, the answer says nothing. */
  test(text: string, steps?: Steps): boolean;
}

/** A call, a character, and an instruction that is looked at (measured). */
const [CALL_STEPS, CHAR_STEPS, INSTRUCTION_STEPS] = [1 / 16, 1 / 64, 1 / 4];
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
  | { readonly kind: "ways"; ways: readonly Instruction[] };

const END: Instruction = { kind: "ways", ways: [] };

/** From its end to its beginning: each part knows what follows it. */
function compile(node: PatternNode, next = END): Instruction {
  if (node.kind === "one" || node.kind === "edge") return { ...node, next };
  if (node.kind === "any") return { kind: "ways", ways: node.parts.map((part) => compile(part, next)) };
  if (node.kind === "all") return node.parts.reduceRight((after, part) => compile(part, after), next);
  const { part, min, max } = node;
  const isEndless = max === Infinity;
  let entry = next;
  if (isEndless) {
    const loop: Instruction = { kind: "ways", ways: [] };
    const again = compile(part, loop);
    loop.ways = [again, next];
    entry = min === 0 ? loop : again;
  }
  for (let more = isEndless ? 0 : max - min; more > 0; more--)
    entry = { kind: "ways", ways: [compile(part, entry), next] };
  for (let less = isEndless ? min - 1 : min; less > 0; less--) entry = compile(part, entry);
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
    kept += open.length + 1;
    const key = `${before} ${open.map(numberOf).join()}`;
    return states.getOrInsertComputed(key, () => ({ open, before, next: new Map() }));
  };
  let start = stateOf([program], "start");

  /** Where a character leads from there. */
  const follow = (state: State, character: string, steps: Steps): State => {
    if (kept > KEPT_MAX) {
      states.clear();
      kept = 0;
      start = stateOf([program], "start");
    }
    const isWord = /\w/.test(character);
    const isAt = (edge: string): boolean => {
      if (edge === "^") return state.before === "start";
      return edge === "$" ? character === "" : ((state.before === "word") === isWord) === (edge === "\\B");
    };
    const met = new Set(state.open);
    const open = new Set(later);
    for (const each of met) {
      if (each.kind === "ways") for (const way of each.ways) met.add(way);
      else if (each.kind === "edge" && isAt(each.edge)) met.add(each.next);
      else if (each.kind === "one" && each.is.test(character)) open.add(each.next);
    }
    steps.take((met.size + open.size) * INSTRUCTION_STEPS);
    const next = met.has(END) ? FOUND : stateOf([...open], isWord ? "word" : "other");
    state.next.set(character, next);
    return next;
  };

  return {
    test(text, steps = stepsFor(text.length)) {
      let state = start;
      let index = 0;
      while (index <= text.length && state.open.length > 0 && !steps.isSpent) {
        const code = text.codePointAt(index);
        const character = code === undefined ? "" : String.fromCodePoint(code);
        state = state.next.get(character) ?? follow(state, character, steps);
        index += character.length || 1;
      }
      steps.take(CALL_STEPS + index * CHAR_STEPS);
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
