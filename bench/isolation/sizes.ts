/** Reads the options of the isolation bench, and names its sizes. */
import { parseArgs } from "node:util";

const { values } = parseArgs({
  options: {
    quick: { type: "boolean", default: false },
    folder: { type: "string" },
    store: { type: "string", default: "sqlite,postgres" },
    only: { type: "string", default: "" },
  },
});
const isQuick = values.quick;
export const { only: ONLY, folder: FOLDER } = values;
export const STORES = atLeastOne(
  (["sqlite", "postgres"] as const).filter((kind) => values.store.includes(kind)),
  `--store ${values.store} names no store: sqlite, postgres or both`,
);
export const DESTINATIONS = 1_000;
export const SICK = 10;
export const RATE_PER_SECOND = 500;
export const ROUNDS = isQuick ? 2 : 3;
export const WARM_UP_MS = isQuick ? 3_000 : 6_000;
export const WELL_MS = isQuick ? 4_000 : 8_000;
/** Longer than the deadline of an attempt, 15 s, so that some end by it. */
export const SICK_MS = isQuick ? 5_000 : 17_000;
/** After a trouble, until what it holds has ended: a drip ends by the attempt's deadline, the others sooner. */
export const REST_MS = isQuick ? 1_000 : 3_000;
export const DRIP_REST_MS = isQuick ? 1_000 : 15_500;
/** As the page of the log does while something is delivered. */
export const LOOK_EVERY_MS = 1_000;
export const BACKLOG = isQuick ? 50_000 : 1_000_000;
/** A longer wait counts as this one. */
export const GRACE_MS = 5_000;
export const GATE = 1.2;

export const TROUBLES = ["hang", "body drip", "endless 103", "dead DNS"] as const;
export type Trouble = (typeof TROUBLES)[number];

/** Each trouble of each round has ten destinations to itself: those of an earlier one may be held back. */
export const TROUBLED = TROUBLES.length * ROUNDS * SICK;
/** Webhooks of one account at a receiver that says nothing, and its records; an account for each round. */
export const HOOKS = 100;
export const HOOK_RECORDS_PER_SECOND = 5;
/** The others share the machine with a hundred times as many requests as records. */
export const HOOKS_GATE = 1.5;
export const toHooks = (round: number): string => `hooks-${round}`;
/** Accounts with a webhook that gets one at a time, and one as usual: their receiver, and their records a second. */
export const ORDERED = "one-at-a-time";
export const USUAL = "as-usual";
export const ORDERED_ANSWER_MS = 20;
export const ORDERED_PER_SECOND = 25;
/** This one's receiver answers at once, and was down for long. */
export const RECOVERED = DESTINATIONS - 2;
/** Records a second beside its backlog. */
export const RECOVERED_RATES = [200, 500];
export const RECOVERED_BACKLOG = isQuick ? 150_000 : 1_000_000;
/** What one with a backlog of minutes may cost the others while it drains. */
export const RECOVERED_GATE = 2;
/** The last one holds the backlog. */
export const BACKLOGGED = DESTINATIONS - 1;
/** So slow that the backlog stays: 64 at once are 640 a second at most. */
export const BACKLOG_ANSWER_MS = 100;

export function atLeastOne<Item>(items: readonly Item[], message: string): readonly Item[] {
  if (items.length > 0) return items;
  console.error(message);
  process.exit(2);
}
