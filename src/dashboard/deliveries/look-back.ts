/**
 * Searches that look into bodies, which no index has: in steps of some milliseconds, from the newest event back, until
 * the page is full or a person has waited long enough.
 *
 * Invariant: at most half of the store's time goes into it. A node does one step at a time and then leaves as much time
 * to others, an account has one such search at a time, and those of several accounts take turns.
 */
import { type ByKey, createByKey } from "../../lib/by-key.ts";
import { sleep } from "../../lib/clock.ts";
import type { DeliveryCursor } from "../../store/contract/log.ts";
import type { FoundEvents } from "../../store/contract/search.ts";
import type { ReadContext } from "../call/context.ts";

/** A person waits for half a second without wondering. With a million deliveries see `bench/RESULTS.md`, The log. */
const LOOKING_MS_MAX = 350;
/** On a machine that is faster than ours a page looks at no more than it says: some 20,000 events. */
const STEPS_MAX = 40;
/** A step that waited for a busy store is not waited for as long again. */
const PAUSE_MS_MAX = 50;

export interface SearchStep extends Omit<FoundEvents, "events"> {
  /** Rows that it has found. */
  readonly rows: number;
}

interface LookBack<Step> {
  readonly accountId: string;
  readonly before: DeliveryCursor | null;
  readonly limit: number;
  /** In place of the most that a page looks at. */
  readonly stepsMax?: number;
  readonly ask: (before: DeliveryCursor | null, limit: number) => Promise<Step>;
}

/** The steps, of which the last one's `next` is where a further page goes on. */
export async function lookBack<Step extends SearchStep>(
  { accounts: { store, clock } }: ReadContext,
  { accountId, limit, ask, stepsMax = STEPS_MAX, ...from }: LookBack<Step>,
): Promise<readonly Step[]> {
  const { ofAccounts, steps } = turnsOf(store);
  return await ofAccounts.run(accountId, async () => {
    const startMs = clock.monotonicMs();
    const taken: Step[] = [];
    let { before } = from;
    let left = limit;
    for (;;) {
      const step = await steps.run("", async () => {
        const askedMs = clock.monotonicMs();
        const answer = await ask(before, left);
        const tookMs = clock.monotonicMs() - askedMs;
        if (tookMs > 0) await sleep(clock, Math.min(tookMs, PAUSE_MS_MAX));
        return answer;
      });
      taken.push(step);
      before = step.next;
      left -= step.rows;
      const isLate = clock.monotonicMs() - startMs > LOOKING_MS_MAX || taken.length === stepsMax;
      if (before === null || left <= 0 || isLate) return taken;
    }
  });
}

/** What the steps say together of where they looked. */
export function joinSteps(steps: readonly SearchStep[]): Omit<FoundEvents, "events"> {
  const last = steps.at(-1);
  return {
    next: last?.next ?? null,
    searchedBackToMs: last?.searchedBackToMs ?? null,
    missingFromMs: steps[0]?.missingFromMs ?? null,
    lookedAt: steps.reduce((sum, { lookedAt }) => sum + (lookedAt ?? 0), 0),
  };
}

interface Turns {
  readonly ofAccounts: ByKey;
  readonly steps: ByKey;
}

const turns = new WeakMap<object, Turns>();

function turnsOf(store: object): Turns {
  const known = turns.get(store);
  if (known !== undefined) return known;
  const made = { ofAccounts: createByKey(), steps: createByKey() };
  turns.set(store, made);
  return made;
}
