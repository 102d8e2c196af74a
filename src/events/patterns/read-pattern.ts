/**
 * Reads a regular expression of ECMAScript (flag `u`) as a tree, for `linear-pattern.ts`. `RegExp` has taken it before,
 * so its syntax is right; and whether a character is meant by an atom, such as `\s`, `[^a-z]` or `\u{1F600}`, is asked
 * of `RegExp` too, so that it means what it means to JavaScript. What has no linear form is refused. Pure.
 */
import type { Result } from "../../domain/problem.ts";
import { ok, refuse } from "../../lib/result.ts";

export type PatternNode =
  /** Of a text that is one character. */
  | { readonly kind: "one"; readonly is: RegExp }
  | { readonly kind: "edge"; readonly edge: string }
  | { readonly kind: "all"; readonly parts: readonly PatternNode[] }
  | { readonly kind: "any"; readonly parts: readonly PatternNode[] }
  | { readonly kind: "repeat"; readonly part: PatternNode; readonly min: number; readonly max: number };

/** Repeats are written out: `{1,4000}` is 8,000 steps. So much work a character may be, at most. */
const STEPS_MAX = 10_000;
/** Guess, above what people read. The walk of a pattern is thus never stopped by the stack. */
const GROUPS_MAX = 100;

/** Atoms and edges, groups, repeats, and the rest. */
const TOKEN = new RegExp(
  [
    /\\u\{[^}]*\}|\\u[dD][89abAB]..\\u[dD][c-fC-F]..|\\u....|\\x..|\\c.|\\[pP]\{[^}]*\}|\\k<[^>]*>|\\[1-9]\d*|\\./,
    /\[(?:\\.|[^\]\\])*\]|\(\?!\)/,
    /\(\?<?[=!]|\(\?<[^>]*>|\(\?[^:]*:|\(/,
    /[*+?]\??|\{\d+(?:,\d*)?\}\??|./,
  ]
    .map(({ source }) => source)
    .join("|"),
  "gsu",
);

const REFUSED: readonly (readonly [token: RegExp, why: string])[] = [
  [/^\(\?<?[=!]$/, "looks around: demands that hold together stand in allOf, and what must not be below not"],
  [/^\\(?:[1-9]|k<)/, "refers back to what a group has found: write out what may stand there"],
  [/^\(\?[^:<!]+:/, "changes its flags within: write both cases, such as [Aa]"],
];

/** Refused with the end of a sentence. */
export function readPattern(source: string): Result<PatternNode, string> {
  const tokens = source.match(TOKEN) ?? [];
  let groups = 0;
  for (const token of tokens) {
    const [, why] = REFUSED.find(([kind]) => kind.test(token)) ?? [];
    if (why !== undefined) return refuse(`cannot be matched in linear time: its ${token} ${why}`);
    groups += Number(isOpening(token)) - Number(token === ")");
    if (groups > GROUPS_MAX) return refuse(`has groups in more than ${GROUPS_MAX} levels`);
  }
  const node = readGroup(tokens.values());
  const steps = countSteps(node);
  if (steps <= STEPS_MAX) return ok(node);
  const why = `with its repeats written out it has ${steps} steps, and at most ${STEPS_MAX} may be`;
  return refuse(`is too large: ${why}; minLength and maxLength bound a length`);
}

/** `(?!)` is an atom that is nothing; people write it for that. */
const isOpening = (token: string): boolean => token.startsWith("(") && token !== "(?!)";

/** Up to the end of the group. */
function readGroup(tokens: Iterator<string>): PatternNode {
  const ways: PatternNode[][] = [[]];
  for (
    let { value: token, done } = tokens.next();
    done !== true && token !== ")";
    { value: token, done } = tokens.next()
  ) {
    const way = ways.at(-1) ?? [];
    const repeat = readRepeat(token);
    if (token === "|") ways.push([]);
    else if (repeat !== null) way.push({ kind: "repeat", part: way.pop() ?? { kind: "all", parts: [] }, ...repeat });
    else way.push(isOpening(token) ? readGroup(tokens) : readAtom(token));
  }
  return { kind: "any", parts: ways.map((parts) => ({ kind: "all", parts })) };
}

const EDGES = ["^", "$", "\\b", "\\B"];

const readAtom = (token: string): PatternNode =>
  EDGES.includes(token) ? { kind: "edge", edge: token } : { kind: "one", is: atom(token) };

/** One for each atom: programs have few. */
const atoms = new Map<string, RegExp>();
const atom = (token: string): RegExp => atoms.getOrInsertComputed(token, () => new RegExp(`^${token}$`, "u"));

const SIGNS: Readonly<Record<string, readonly [min: number, max: number]>> = {
  "*": [0, Infinity],
  "+": [1, Infinity],
  "?": [0, 1],
};

/** Whether it is lazy changes what is found, and not whether. */
function readRepeat(token: string): { readonly min: number; readonly max: number } | null {
  const [, sign = "", from, comma, to] = /^(?:([*+?])|\{(\d+)(?:(,)(\d*))?\})\??$/.exec(token) ?? [];
  const [min = Number(from), max = comma === undefined ? min : to === "" ? Infinity : Number(to)] = SIGNS[sign] ?? [];
  return Number.isNaN(min) ? null : { min, max };
}

function countSteps(node: PatternNode): number {
  if (node.kind === "one" || node.kind === "edge") return 1;
  if (node.kind !== "repeat") return node.parts.reduce((sum, part) => sum + countSteps(part), 1);
  return (node.max === Infinity ? Math.max(node.min, 1) : node.max) * (countSteps(node.part) + 1);
}
