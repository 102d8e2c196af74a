/**
 * The answer of `countAttempts` on its way between the threads: thousands of rows that share a few hundred names. A
 * structured clone would look at each value of each row, on both sides; of the numbers in one array it copies a block.
 */
import { assert } from "../../../lib/assert.ts";
import type { Answer, Call } from "../../calls.ts";
import type { AttemptCount } from "../../contract/log.ts";

type Name = Pick<AttemptCount, "destinationId" | "kind" | "result" | "code">;

interface PackedCounts {
  readonly names: readonly Name[];
  /** Of each row its name's place, its instant, its bin and its count. */
  readonly numbers: Float64Array;
}

const NUMBERS_OF_ROW = 4;

/** `call`: the one that it answers. Every other verb's answer crosses as it is, and so does a failure. */
export const packAnswer = (call: Call<unknown> | undefined, answer: Answer): Answer =>
  hasCounts(call, answer) ? { ...answer, value: packCounts(answer.value as readonly AttemptCount[]) } : answer;

export const unpackAnswer = (call: Call<unknown> | undefined, answer: Answer): Answer =>
  hasCounts(call, answer) ? { ...answer, value: unpackCounts(answer.value as PackedCounts) } : answer;

const hasCounts = (call: Call<unknown> | undefined, answer: Answer): answer is Extract<Answer, { kind: "done" }> =>
  call?.verb === "countAttempts" && answer.kind === "done";

function packCounts(counts: readonly AttemptCount[]): PackedCounts {
  const places = new Map<string, number>();
  const names: Name[] = [];
  const numbers = new Float64Array(counts.length * NUMBERS_OF_ROW);
  for (const [row, { atMs, bin, count, ...name }] of counts.entries()) {
    const key = `${name.destinationId} ${name.kind} ${name.result} ${name.code}`;
    const place = places.get(key) ?? names.push(name) - 1;
    places.set(key, place);
    numbers.set([place, atMs, bin, count], row * NUMBERS_OF_ROW);
  }
  return { names, numbers };
}

function unpackCounts({ names, numbers }: PackedCounts): AttemptCount[] {
  return Array.from({ length: numbers.length / NUMBERS_OF_ROW }, (_, row) => {
    const [place = 0, atMs = 0, bin = 0, count = 0] = numbers.subarray(row * NUMBERS_OF_ROW);
    const name = names[place];
    assert(name !== undefined, "a count has crossed whose name is not there");
    return { ...name, atMs, bin, count };
  });
}
