/** Computes the contrast of every pair of colours in use, in both schemes, from the tokens of tokens.css. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { contrast } from "../src/domain/brand.ts";
import { readToken } from "../test/kit/tokens.ts";

const GROUNDS = ["canvas", "surface", "raised", "sunken", "hover"];
const STATES = ["ok", "warn", "bad", "info", "accent"];

/** WCAG 2.2: 1.4.3 for text, 1.4.11 for what shows a control or a state. */
const TEXT = 4.5;
const MARK = 3;

const PAIRS: readonly (readonly [front: string, ground: string, least: number])[] = [
  ...GROUNDS.flatMap((ground) => ["ink", "ink-soft", "ink-faint", "accent"].map((ink) => [ink, ground, TEXT] as const)),
  ...STATES.flatMap((state) => [
    [state, `${state}-soft`, TEXT] as const,
    ["ink", `${state}-soft`, TEXT] as const,
    ["ink-soft", `${state}-soft`, TEXT] as const,
  ]),
  ...["surface", "raised", "sunken"].flatMap((ground) => STATES.map((state) => [state, ground, TEXT] as const)),
  ...["accent-solid", "accent-solid-hover", "bad-solid", "bad-solid-hover"].map(
    (ground) => ["on-solid", ground, TEXT] as const,
  ),
  ...["canvas", "surface", "raised"].flatMap((ground) =>
    ["line-strong", "ok-mark", "warn-mark", "bad-mark", "info-mark", "accent-solid"].map(
      (mark) => [mark, ground, MARK] as const,
    ),
  ),
];

for (const [index, scheme] of ["light", "dark"].entries()) {
  test(`in the ${scheme} scheme every pair has enough contrast`, () => {
    const low = PAIRS.map(([front, ground, least]) => ({
      pair: `${front} on ${ground}`,
      ratio: contrast(readToken(front)[index] ?? "", readToken(ground)[index] ?? ""),
      least,
    })).filter(({ ratio, least }) => ratio < least);
    assert.deepEqual(low, []);
  });
}
