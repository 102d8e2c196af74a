/**
 * The store of a run, as several when accounts lie in several groups: each group has a database of its own, as on
 * servers of their own, and calls go where production sends them (`store/postgres/dispatch/dispatch.ts`).
 */
import { bucketOf } from "../src/lib/bucket.ts";
import type { Call, VerbAnswer } from "../src/store/calls.ts";
import { type Store, VERB_NAMES, type VerbName } from "../src/store/contract/store.ts";
import type { AttemptColumns } from "../src/store/postgres/attempts.ts";
import { toOneServer } from "../src/store/postgres/access.ts";
import { type DispatchOptions, createDispatch } from "../src/store/postgres/dispatch/dispatch.ts";
import { type Groups, ONE_GROUP, madeUpGroups, toGroups } from "../src/store/postgres/buckets/groups.ts";
import { newMemory } from "../src/store/postgres/transaction.ts";
import { openInlineStore } from "../src/store/sqlite/open.ts";
import type { RunCall, SimCall } from "./calls.ts";
import { type MemoryLoss, withMemoryLoss } from "./memory-loss.ts";
import type { Mutant } from "./mutant.ts";

export interface Stores {
  readonly groups: Groups;
  /** As nodes have it, with deaths and with a planted bug. A group is known by its first bucket. */
  of(group: number): Store;
  groupOf(accountId: string): number;
  /** All of it, without what lies between it and the nodes. */
  readonly real: Store;
}

/** The accounts of a run, three at most, lie in groups of their own then. */
const GROUPS = 4;

export function openStores(losses: MemoryLoss, mutant: Mutant): Stores {
  const groups = losses.swarm.isOn("groups") ? toGroups(madeUpGroups(GROUPS)) : ONE_GROUP;
  const clock = { nowMs: losses.nowMs, monotonicMs: losses.nowMs, after: () => () => {} };
  const wrapped = mutant.onDatabase === undefined ? {} : { wrap: mutant.onDatabase };
  const opened = groups.all.map(([group = 0]) => {
    const inline = openInlineStore({ clock, ...wrapped });
    const mortal = withMemoryLoss(inline, losses);
    return [group, { real: inline.store, mortal: mutant.onStore?.(mortal) ?? mortal }] as const;
  });
  const byGroup = new Map(opened);
  const find = (group: number) => byGroup.get(group) ?? fail(group);
  const runReal: RunCall = ({ verb, params }, group) => runOn(find(group).real, { verb, params });
  return {
    groups,
    of: (group) => find(group).mortal,
    groupOf: (accountId) => groups.where([bucketOf(accountId)]).group,
    real: {
      ...overGroups({ groups, run: runReal }),
      async [Symbol.asyncDispose]() {
        for (const { real } of byGroup.values()) await real[Symbol.asyncDispose]();
      },
    },
  };
}

function fail(group: number): never {
  throw new Error(`no group begins with the bucket ${group}`);
}

export const runOn = (store: Store, { verb, params }: SimCall): Promise<unknown> =>
  (store[verb] as (params: unknown) => Promise<unknown>)(params);

export interface OverGroups extends Pick<DispatchOptions, "groups"> {
  readonly run: RunCall;
}

/** The contract, each verb sent to the groups that it is about. */
export function overGroups({ groups, run }: OverGroups): Omit<Store, typeof Symbol.asyncDispose> {
  const servers = groups.all.map((group) => ({ name: `server of ${group[0]}`, groups: [group] }));
  const runThere: DispatchOptions["run"] = (call, { group }) => run(call, group) as Promise<VerbAnswer<VerbName>>;
  const dispatch =
    groups.all.length === 1
      ? toOneServer({ groups, run: runThere })
      : createDispatch({
          groups,
          servers: { list: () => servers },
          // A run's store is slow at times, and never so slow that it counts as away.
          clock: { after: () => () => {} },
          node: newMemory(),
          // Each group is visited: what there is to do is the run's own.
          look: () => Promise.resolve("all"),
          run: runThere,
          aroundAll: (_, ask) => ask(),
        });
  // Dispatch looks at accounts and counts, never into an attempt: the only thing that would be packed.
  const verbs = VERB_NAMES.map((verb) => [
    verb,
    (params: unknown) => dispatch({ verb, params } as Call<AttemptColumns>),
  ]);
  return Object.fromEntries(verbs);
}
