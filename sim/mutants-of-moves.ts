/**
 * Planted bugs about accounts that move between shards: one for each step of the protocol that is left out or comes at
 * the wrong moment, and verbs that forget the fence. See `mutants.ts`.
 */
import type { Arriving } from "../src/store/postgres/shards/move/over.ts";
import type { FaultName } from "./faults.ts";
import type { SimMoves, SimSteps } from "./moves/steps.ts";
import type { Mutant } from "./mutant.ts";

/** Something of every kind is written while accounts move. */
const FAULTS: readonly FaultName[] = ["shards", "moves", "server_error", "configure", "halt", "resend"];
const WITH_LOSSES: readonly FaultName[] = [...FAULTS, "mover_lost"];

const done = (): Promise<void> => Promise.resolve();

export const MOVE_MUTANTS: Readonly<Record<string, Mutant>> = {
  account_not_locked: {
    bug: "a move copies and lets go without the account's lock",
    ...inSteps((steps) => ({ lockAccount: steps.hasAccount })),
  },
  shard_not_locked: {
    bug: "a move copies and lets go without the shard's lock, so that searches find what leaves",
    ...inSteps(() => ({ lockShard: done })),
  },
  settlement_forgets_fence: {
    bug: "a settlement does not hold its account",
    ...withoutFence(["settleAttemptsIfClaimed"]),
  },
  accept_forgets_fence: {
    bug: "an accept does not hold its account",
    ...withoutFence(["acceptEvents"]),
  },
  change_forgets_fence: {
    bug: "what an owner changes does not hold the account",
    ...withoutFence(["putAccount", "saveAlert", "saveAssistantDestination", "setDestinationState"]),
  },
  claim_forgets_fence: {
    bug: "a claim does not hold the shard",
    ...withoutFence(["claimDueDeliveries"]),
  },
  memory_not_settled: {
    bug: "a move forgets what nodes have in memory",
    ...inSteps(() => ({ settleMemory: done })),
  },
  copied_before_fence_only: {
    bug: "nothing is copied once the account is locked",
    ...inSteps((steps) => ({
      copyRest: (ends, copied) => steps.copyRest({ ...ends, to: deaf(ends.to) }, copied),
    })),
  },
  waiting_not_carried: {
    bug: "what has not ended stays behind",
    ...inSteps((steps) => ({
      async copyRest(ends, copied) {
        const rows = await steps.copyRest(ends, copied);
        ends.to.write(({ db }) => void db.run(DELETE_WAITING, copied.accountId));
        return rows;
      },
    })),
  },
  arrived_left_out: {
    bug: "an account leaves without its live rows having arrived",
    ...inSteps((steps) => ({
      setArriving: (tx, accountId, arriving) => steps.setArriving(tx, accountId, { ...arriving, rows: null }),
    })),
  },
  not_let_go: {
    bug: "the live rows stay where they were",
    ...inSteps(() => ({ letGo: done })),
  },
  departure_not_noted: {
    bug: "a shard does not note that an account has left it",
    ...inSteps(() => ({ noteDeparted: done })),
  },
  landed_left_out: {
    bug: "live rows that wait are dropped rather than put into their tables",
    ...inSteps(() => ({ goLive: done })),
  },
  directed_first: {
    bug: "the directory names the new shard when the move begins",
    ...inSteps((steps) => ({
      changePlace(tx, accountId, { before, after }) {
        const { movingTo } = after;
        const told = movingTo === null ? after : { shard: movingTo, movingTo: null, leaving: null };
        return steps.changePlace(tx, accountId, { before, after: told });
      },
    })),
  },
  directed_left_out: {
    bug: "the directory is never told where the account is now",
    ...inSteps((steps) => ({
      changePlace: (tx, accountId, change) =>
        change.after.leaving === null ? steps.changePlace(tx, accountId, change) : Promise.resolve(true),
    })),
  },
  cleaned_left_out: {
    bug: "history stays where an account has left",
    ...inSteps(() => ({ deleteLeft: () => Promise.resolve({ rows: 0, hasMore: false }) })),
  },
  run_not_compared: {
    bug: "a process that stood still goes on with what others have changed meanwhile",
    ...inSteps((steps) => ({
      findArriving: async (...of) => withSameRun(await steps.findArriving(...of)),
      holdArriving: async (...of) => withSameRun(await steps.holdArriving(...of)),
      async setArriving(tx, accountId, arriving) {
        const held = await steps.holdArriving(tx, accountId);
        const run = await steps.setArriving(tx, accountId, { ...arriving, before: held?.run ?? null });
        return run && SAME_RUN;
      },
    })),
    faults: WITH_LOSSES,
  },
};

/** Movers compare runs where they read, where they write, and where they let go: the bug is in none of these alone. */
const SAME_RUN = "run";

const withSameRun = (arriving: Arriving | null): Arriving | null => arriving && { ...arriving, run: SAME_RUN };

const DELETE_WAITING = "delete from deliveries where account_id = ? and state = 'pending'";

/** What is written there is not written. */
function deaf(tx: Parameters<SimSteps["copyRest"]>[0]["to"]): typeof tx {
  return Object.assign(Object.create(tx) as typeof tx, { ask: tx.ask.bind(tx), write: () => {} });
}

function inSteps(change: (steps: SimSteps) => Partial<SimSteps>): Pick<Mutant, "faults" | "onMoves"> {
  const onMoves = (over: SimMoves): SimMoves => ({ ...over, steps: { ...over.steps, ...change(over.steps) } });
  return { faults: FAULTS, onMoves };
}

function withoutFence(verbs: readonly string[]): Pick<Mutant, "faults" | "onFence"> {
  return { faults: FAULTS, onFence: (fence, { verb }) => (verbs.includes(verb) ? "nothing" : fence) };
}
