/**
 * Holds every invariant against a run: each fact as it happens, and the whole once it has come to rest. The first
 * breach ends the run; it is remembered here and not thrown, because a throw would pass through the engine under test.
 */
import type { Fact } from "./history.ts";
import { ACCEPTING } from "./invariants/accepting.ts";
import { CLAIMING } from "./invariants/claiming.ts";
import { HOLDING } from "./invariants/holding.ts";
import type { Breach, Finding, NewInvariant, RestingWorld, World } from "./invariants/invariant.ts";
import { MOVING } from "./invariants/moving.ts";
import { PROMPTNESS } from "./invariants/promptness.ts";
import { REPLAYING } from "./invariants/replaying.ts";
import { SETTLING } from "./invariants/settling.ts";
import { TIMING } from "./invariants/timing.ts";
import { UPGRADING } from "./invariants/upgrading.ts";
import { WIRE } from "./invariants/wire.ts";

/** A new group is a file in `invariants/` and a line here. */
const ALL: readonly NewInvariant[] = [
  ...ACCEPTING,
  ...SETTLING,
  ...CLAIMING,
  ...TIMING,
  ...PROMPTNESS,
  ...WIRE,
  ...HOLDING,
  ...REPLAYING,
  ...MOVING,
  ...UPGRADING,
];

export interface Watch {
  see(fact: Fact, world: World): void;
  rest(world: RestingWorld): void;
  /** For what the run itself finds. */
  report(breach: Breach): void;
  breach(): Breach | null;
}

export function createWatch(): Watch {
  const invariants = ALL.map((create) => create());
  let first: Breach | null = null;
  const note = (invariant: string, finding: Finding | null): void => {
    if (finding !== null) first ??= { invariant, ...finding };
  };
  return {
    see(fact, world) {
      for (const { name, see } of invariants) note(name, see?.(fact, world) ?? null);
    },
    rest(world) {
      for (const { name, rest } of invariants) note(name, rest?.(world) ?? null);
    },
    report: ({ invariant, ...finding }) => note(invariant, finding),
    breach: () => first,
  };
}
