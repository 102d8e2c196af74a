/**
 * The store of a run, as several where accounts lie in several shards: each shard is a store of its own, as on a server
 * of its own, and calls go where production sends them (`store/postgres/shards/shards.ts`).
 */
import { type Store, VERB_NAMES } from "../src/store/contract/store.ts";
import type { PostgresCall } from "../src/store/postgres/commit-calls.ts";
import { HOME_SHARD, type Directory } from "../src/store/postgres/shards/directory.ts";
import { callShards, type Shard } from "../src/store/postgres/shards/shards.ts";
import { openInlineStore } from "../src/store/sqlite/open.ts";
import type { RunCall, SimCall } from "./calls.ts";
import { type MemoryLoss, withMemoryLoss } from "./memory-loss.ts";
import type { Mutant } from "./mutant.ts";

export interface Stores {
  /** Their names, the home shard's first. */
  readonly shards: readonly string[];
  /** As nodes have it, with deaths and with a planted bug. */
  of(shard: string): Store;
  shardOf(accountId: string): string;
  /** All of it, without what lies between it and the nodes. */
  readonly real: Store;
}

/** A run has three accounts at most, each in another one. */
const SHARDS = [HOME_SHARD, "1", "2", "3"];

export function openStores(losses: MemoryLoss, mutant: Mutant): Stores {
  const shards = losses.swarm.isOn("shards") ? SHARDS : [HOME_SHARD];
  const clock = { nowMs: losses.nowMs, monotonicMs: losses.nowMs, after: () => () => {} };
  const wrapped = mutant.onDatabase === undefined ? {} : { wrap: mutant.onDatabase };
  const opened = shards.map((shard) => {
    const inline = openInlineStore({ clock, ...wrapped });
    const mortal = withMemoryLoss(inline, losses);
    return [shard, { real: inline.store, mortal: mutant.onStore?.(mortal) ?? mortal }] as const;
  });
  const byShard = new Map(opened);
  const find = (shard: string) => byShard.get(shard) ?? fail(shard);
  const places = new Map<string, string>();
  const shardOf = (accountId: string): string => {
    const shard = places.get(accountId) ?? shards[places.size % shards.length] ?? HOME_SHARD;
    places.set(accountId, shard);
    return shard;
  };
  const runReal: RunCall = ({ verb, params }, shard) => runOn(find(shard).real, { verb, params });
  return {
    shards,
    of: (shard) => find(shard).mortal,
    shardOf,
    real: {
      ...overShards({ shards, shardOf, run: runReal }),
      async [Symbol.asyncDispose]() {
        for (const { real } of byShard.values()) await real[Symbol.asyncDispose]();
      },
    },
  };
}

function fail(shard: string): never {
  throw new Error(`there is no shard ${shard}`);
}

export const runOn = (store: Store, { verb, params }: SimCall): Promise<unknown> =>
  (store[verb] as (params: unknown) => Promise<unknown>)(params);

export interface OverShards extends Pick<Stores, "shards" | "shardOf"> {
  readonly run: RunCall;
}

/** The contract, each verb sent to the shards that it is about. */
export function overShards({ shards, shardOf, run }: OverShards): Omit<Store, typeof Symbol.asyncDispose> {
  const list = shards.map((name): Shard => {
    const call = (asked: PostgresCall) => run(asked, name) as ReturnType<Shard["call"]>;
    return { name, isHere: true, call };
  });
  const call = callShards({
    list: () => list,
    lookAgain: () => Promise.resolve(),
    directory: toDirectory(shardOf),
    // A run's store is slow at times, and never so slow that it counts as away.
    clock: { after: () => () => {}, nowMs: () => 0 },
    completeMove: () => Promise.resolve(),
    removeInboxRecords: () => Promise.resolve(),
  });
  // The way to a shard looks at accounts and counts, never into an attempt: the only thing that would be packed.
  const verbs = VERB_NAMES.map((verb) => [verb, (params: unknown) => call({ verb, params } as PostgresCall)]);
  return Object.fromEntries(verbs);
}

/** Each account stays where it is. */
const toDirectory = (shardOf: Stores["shardOf"]): Directory => ({
  listShards: () => Promise.resolve([]),
  find: (ids) => Promise.resolve(new Map(ids.map((id) => [id, { shard: shardOf(id), movingTo: null }]))),
  choose: ({ accountId }) => Promise.resolve(shardOf(accountId)),
});
