import assert from "node:assert/strict";
import { test } from "node:test";
import { firstIdAt } from "../../src/domain/id.ts";
import type { Claim, ClaimEnd } from "./claim-book.ts";
import { type Trouble, explainArrivals, explainByTroubles } from "./explain.ts";

/** A claim lasts 60 s here, as in the service. */
const claim = (holder: string, fromMs: number, end: ClaimEnd | null): Claim => ({
  holder,
  fromMs,
  untilMs: fromMs + 60_000,
  end,
});
const settled = (atMs: number): ClaimEnd => ({ how: "settled", atMs });
const takenOver = (atMs: number): ClaimEnd => ({ how: "taken_over", atMs });

const killed: Trouble = { holder: "one", fromMs: 1_000, toMs: null };
const frozen: Trouble = { holder: "one", fromMs: 1_000, toMs: 70_000 };

interface Case {
  readonly name: string;
  readonly arrivals: readonly number[];
  readonly claims: readonly Claim[];
  readonly troubles?: readonly Trouble[];
  readonly finds: { readonly duplicates: number; readonly afterRunOut: number; readonly fault: RegExp | null };
}

const fine = { duplicates: 0, afterRunOut: 0, fault: null };
const overRunOut = [claim("one", 500, takenOver(60_500)), claim("two", 60_500, settled(60_700))];

const CASES: readonly Case[] = [
  { name: "one claim, one arrival", arrivals: [600], claims: [claim("one", 500, settled(700))], finds: fine },
  {
    name: "given back by one and sent by another",
    arrivals: [950],
    claims: [claim("one", 500, { how: "given_back", atMs: 800 }), claim("two", 900, settled(990))],
    finds: fine,
  },
  {
    name: "killed before it was sent",
    arrivals: [60_600],
    claims: overRunOut,
    troubles: [killed],
    finds: fine,
  },
  {
    name: "killed after it was sent",
    arrivals: [900, 60_600],
    claims: overRunOut,
    troubles: [killed],
    finds: { duplicates: 1, afterRunOut: 1, fault: null },
  },
  {
    name: "an attempt that failed although it had arrived",
    arrivals: [600, 9_000],
    claims: [claim("one", 500, settled(700)), claim("one", 8_900, settled(9_100))],
    finds: { duplicates: 1, afterRunOut: 0, fault: null },
  },
  {
    name: "slept while it was about to send",
    arrivals: [60_600, 70_100],
    claims: overRunOut,
    troubles: [frozen],
    finds: { duplicates: 1, afterRunOut: 1, fault: null },
  },
  {
    name: "sent twice under one claim, by nobody who had slept",
    arrivals: [60_600, 60_650],
    claims: overRunOut,
    troubles: [killed],
    finds: { duplicates: 1, afterRunOut: 1, fault: /twice under one claim/ },
  },
  {
    name: "sent without a claim",
    arrivals: [400],
    claims: [claim("one", 500, settled(700))],
    finds: { duplicates: 0, afterRunOut: 0, fault: /without a claim/ },
  },
  {
    name: "sent while only a claim that was given back is known",
    arrivals: [600],
    claims: [claim("one", 500, { how: "given_back", atMs: 800 })],
    finds: { duplicates: 0, afterRunOut: 0, fault: /without a claim/ },
  },
  {
    name: "taken over before the claim had run out",
    arrivals: [600, 50_100],
    claims: [claim("one", 500, takenOver(50_000)), claim("two", 50_000, settled(50_200))],
    troubles: [killed],
    finds: { duplicates: 1, afterRunOut: 1, fault: /was taken over at 50000/ },
  },
  {
    name: "a claim that ran out in good health",
    arrivals: [60_600],
    claims: overRunOut,
    troubles: [{ holder: "two", fromMs: 1_000, toMs: null }],
    finds: { duplicates: 0, afterRunOut: 0, fault: /without trouble/ },
  },
  {
    name: "a claim that ran out before the trouble began",
    arrivals: [60_600],
    claims: overRunOut,
    troubles: [{ holder: "*", fromMs: 80_000, toMs: 90_000 }],
    finds: { duplicates: 0, afterRunOut: 0, fault: /without trouble/ },
  },
];

for (const { name, arrivals, claims, troubles = [], finds } of CASES) {
  test(`judges a delivery: ${name}`, () => {
    const found = explainArrivals(new Map([["dlv", arrivals]]), new Map([["dlv", claims]]), troubles);
    assert.deepEqual([found.duplicates, found.afterRunOut], [finds.duplicates, finds.afterRunOut]);
    assert.equal(found.faults.length, finds.fault === null ? 0 : 1, found.faults.join("\n"));
    if (finds.fault !== null) assert.match(found.faults.join(), finds.fault);
  });
}

/** Of a delivery that was made at 500. */
const BY_TROUBLES: readonly (readonly [name: string, arrivals: number[], troubles: Trouble[], fault: RegExp | null])[] =
  [
    ["one arrival", [600], [], null],
    ["in the hands of a node that was killed", [600, 60_700], [killed], null],
    ["sent while its server was away", [600, 60_700], [{ holder: "*", fromMs: 100, toMs: 3_000 }], null],
    ["long before anybody was killed", [600, 60_700], [{ ...killed, fromMs: 20_000 }], /without trouble/],
    ["after everybody was killed", [40_000, 60_700], [killed], /without trouble/],
    ["before its claim had run out", [600, 50_000], [killed], /before its claim had run out/],
  ];

for (const [name, arrivals, troubles, fault] of BY_TROUBLES) {
  test(`judges a delivery by troubles alone: ${name}`, () => {
    const id = firstIdAt("dlv", 500).padEnd(30, "0");
    const found = explainByTroubles(new Map([[id, arrivals]]), troubles);
    assert.equal(found.duplicates, arrivals.length - 1);
    assert.equal(found.faults.length, fault === null ? 0 : 1);
    if (fault !== null) assert.match(found.faults.join(), fault);
  });
}
