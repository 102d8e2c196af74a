/**
 * The growth test over what is made at random: of schemas those that `events check` takes, each with a record that is
 * taken or refused. What the rows of `growth.test.ts` are for known cases, this is for those that nobody thought of.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { createMentions } from "../../src/domain/mentions.ts";
import { toWords } from "../../src/domain/search-words.ts";
import { conditionCases } from "./conditions.kit.ts";
import { type Growing, type Growth, measureGrowth, type Work } from "./measure.ts";
import { type GrownSchema, grownSchemas, nearMisses, repeats } from "./schemas.kit.ts";
import { decide, declare, parse } from "./work.ts";

export interface RandomParams {
  readonly seed: number;
  /** Of schemas; fewer of the others. */
  readonly cases: number;
}

const SIZE = 6;
const LETTERS = 600;
/** Kinds of conditions, which are repeated. */
const SHOWN_MAX = 4;
/** A schema has some hundred. */
const CHARS_SHOWN = 1_500;
/** More would say the same, and each takes seconds. */
const FAILURES_MAX = 3;

type Sizeless = Omit<Growing, "size">;

export function testRandomGrowth({ seed, cases }: RandomParams): void {
  const what = "costs at most about five times";
  const isDeclarable = ({ schema }: GrownSchema) => declare(schema(1)) !== null;
  const conditions = conditionCases.map(({ list, payload }) => ({
    what: JSON.stringify([list(1).slice(0, SHOWN_MAX), payload(1)["text"]]),
    make: (size: number) => decide(payload(size), [list(size)]),
  }));
  const texts = repeats.map((text) => ({ what: text(1), make: (size: number) => readText(text(size)) }));
  const rows: readonly (readonly [string, fc.Arbitrary<Sizeless>, number, number?])[] = [
    ["of a text that a pattern almost takes", nearMisses.map(toGrowing), Math.ceil(cases / 4), LETTERS],
    ["of schema and record", grownSchemas.filter(isDeclarable).map(toGrowing), cases],
    ["of conditions and record", conditions, Math.ceil(cases / 2)],
    ["of a text that is searched, or erased", texts, Math.ceil(cases / 8)],
  ];
  for (const [input, arbitrary, numRuns, size = SIZE] of rows) {
    test(`four times ${input}, ${numRuns} at random from seed ${seed}, ${what}`, async (t) => {
      const growths = await measureAll(fc.sample(arbitrary, { seed, numRuns }), size);
      const ratios = growths.map(({ ratio }) => ratio ?? 0);
      t.diagnostic(
        `${growths.filter(({ ratio }) => ratio !== null).length} taken, at most × ${Math.max(...ratios).toFixed(1)}`,
      );
      assert.deepEqual(
        growths.filter(({ isKept }) => !isKept),
        [],
      );
    });
  }
}

function toGrowing({ schema, record }: GrownSchema): Sizeless {
  return {
    what: JSON.stringify(schema(1)),
    make: (size) => parse(declare(schema(size)), record(size)),
    makeLeast(size) {
      const text = JSON.stringify(record(size));
      return () => JSON.parse(text) as unknown;
    },
  };
}

async function measureAll(list: readonly Sizeless[], size: number): Promise<readonly Growth[]> {
  const growths: Growth[] = [];
  for (const each of list) {
    if (growths.filter(({ isKept }) => !isKept).length === FAILURES_MAX) break;
    growths.push(await measureGrowth({ ...each, what: each.what.slice(0, CHARS_SHOWN), size }));
  }
  return growths;
}

function readText(text: string): Work {
  const findMentions = createMentions("ada@example.com");
  return () => [toWords(text), findMentions(text)];
}
