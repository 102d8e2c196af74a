/**
 * Planted bugs about commits that calls share, and about shards of which some are away: see `mutants.ts`.
 */
import { secondsMs } from "../src/lib/duration.ts";
import type { SettleAttempts, SettleResult } from "../src/store/contract/path.ts";
import { AccountAway, type Store, StoreUnavailable } from "../src/store/contract/store.ts";
import type { Mutant, MutantNode } from "./mutant.ts";
import type { RunCall, SimCall } from "./calls.ts";

export const SHARD_MUTANTS: Readonly<Record<string, Mutant>> = {
  patient_acknowledged_early: {
    bug: "a settlement that waits for company is answered when it is handed over, not when it is committed",
    onRun: (run) => (call, shard) => {
      if (!isPatient(call)) return run(call, shard);
      void run(call, shard).catch(() => {});
      return Promise.resolve(asSettled(call));
    },
  },
  patience_without_end: {
    bug: "a settlement that waits for company goes with the next commit, and never by itself",
    onRun: waitForCompany,
  },
  failed_commit_settles: {
    bug: "a settlement counts as made although its shard's commit has failed, as if the others' commits were its own",
    onRun: (run) => (call, shard) =>
      run(call, shard).catch((error: unknown) => {
        if (call.verb === "settleAttemptsIfClaimed" && error instanceof StoreUnavailable) return asSettled(call);
        throw error;
      }),
  },
  settled_in_another_shard: {
    bug: "a settlement shares the commit of whichever shard settled last",
    onRun(run) {
      let last: string | null = null;
      return (call, shard) => {
        if (call.verb !== "settleAttemptsIfClaimed") return run(call, shard);
        const joined = last ?? shard;
        last = shard;
        return run(call, joined);
      };
    },
  },
  claims_behind_one_away_dropped: {
    bug: "once a shard could not be asked, what the same claim brings of the shards behind it is forgotten",
    faults: ["shards", "shard_away", "server_error", "hang"],
    onRun: dropBehindFailure,
  },
  away_counted_as_failure: {
    bug: "a settlement that found its shard away is made later as a failure",
    onPort(port) {
      const found = new Set<string>();
      return changeSettling(port, async (params, settle) => {
        const settlements = params.settlements.map((settlement) =>
          found.has(settlement.deliveryId) ? { ...settlement, next: { state: "failed" } as const } : settlement,
        );
        return await settle({ ...params, settlements }).catch((error: unknown) => {
          if (error instanceof AccountAway) for (const { deliveryId } of settlements) found.add(deliveryId);
          throw error;
        });
      });
    },
  },
  away_counted_as_settled: {
    bug: "a settlement that found its shard away counts as made",
    onPort: (port) =>
      changeSettling(port, (params, settle) =>
        settle(params).catch((error: unknown) => {
          if (error instanceof AccountAway) return params.settlements.map(() => SETTLED);
          throw error;
        }),
      ),
  },
  behind_used: {
    bug: "a node uses a shard although it could not bring its schema to its version",
    faults: ["shards", "upgrade", "server_error"],
    onReach: (open) => () => open().catch(() => {}),
  },
  behind_fails_all: {
    bug: "a shard that cannot be used fails calls that go to all shards",
    faults: ["shards", "upgrade", "server_error"],
    onReach: (open) => () =>
      open().catch((error: Error) => {
        throw error.cause;
      }),
  },
  opening_waited_for: {
    bug: "a call waits until its shard is opened, however long that takes, and so keeps other shards' work waiting",
    faults: ["shards", "upgrade", "server_error"],
    onReach: (open) => () => untilOpened(open),
  },
  behind_never_asked_again: {
    bug: "a shard that could not be used once is never opened any more",
    faults: ["shards", "upgrade", "server_error"],
    onReach(open) {
      let first: Promise<unknown> | null = null;
      return () => (first ??= open());
    },
  },
  one_away_is_all_away: {
    bug: "while one shard is away, calls about all others are refused too",
    onPort: refuseAllWhileOneIsAway,
  },
};

async function untilOpened(open: () => Promise<unknown>): Promise<unknown> {
  for (;;) {
    try {
      return await open();
    } catch (error) {
      if (error instanceof AccountAway && /still being opened/.test(error.message)) continue;
      throw error;
    }
  }
}

const SETTLED: SettleResult = { kind: "settled", heldUntilMs: 0, turnedOff: null };

const isPatient = ({ params }: SimCall): boolean => (params as Partial<SettleAttempts>).isPatient === true;
const asSettled = ({ params }: SimCall): SettleResult[] => (params as SettleAttempts).settlements.map(() => SETTLED);

function waitForCompany(run: RunCall): RunCall {
  const waiting = new Map<string, (() => void)[]>();
  return (call, shard) => {
    const others = waiting.get(shard) ?? [];
    if (isPatient(call)) {
      return new Promise((resolve) => {
        waiting.set(shard, [...others, () => resolve(run(call, shard))]);
      });
    }
    if (call.verb === "settleAttemptsIfClaimed") {
      waiting.delete(shard);
      for (const go of others) go();
    }
    return run(call, shard);
  };
}

/** The parts of one claim come one after the other. */
function dropBehindFailure(run: RunCall): RunCall {
  let failed: unknown = null;
  return async (call, shard) => {
    if (call.verb !== "claimDueDeliveries") return await run(call, shard);
    const { claim } = call.params as { readonly claim: { readonly token: string } };
    try {
      const claimed = await run(call, shard);
      return failed === claim.token ? [] : claimed;
    } catch (error) {
      failed = claim.token;
      throw error;
    }
  };
}

type Settle = Store["settleAttemptsIfClaimed"];

const changeSettling = (
  port: Store,
  change: (params: SettleAttempts, settle: Settle) => ReturnType<Settle>,
): Store => ({ ...port, settleAttemptsIfClaimed: (params) => change(params, port.settleAttemptsIfClaimed) });

/** As long as a shard that could not be reached is left alone. */
const REFUSED_MS = secondsMs(2);

function refuseAllWhileOneIsAway(port: Store, { sim }: MutantNode): Store {
  let untilMs = 0;
  const verbs = Object.entries(port).map(([verb, run]: [string, (params: unknown) => Promise<unknown>]) => [
    verb,
    async (params: unknown) => {
      if (sim.nowMs() < untilMs) throw new AccountAway("another account's server is away");
      return await run(params).catch((error: unknown) => {
        if (error instanceof AccountAway) untilMs = sim.nowMs() + REFUSED_MS;
        throw error;
      });
    },
  ]);
  return { ...port, ...Object.fromEntries(verbs) };
}
