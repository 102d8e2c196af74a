/**
 * The store of a run, as several where accounts lie in several shards: each shard is a store of its own, as on a server
 * of its own, and calls go where production sends them (`store/postgres/shards/shards.ts`).
 */
import { type Store, VERB_NAMES } from "../src/store/contract/store.ts";
import type { PostgresCall } from "../src/store/postgres/commit-calls.ts";
import { HOME_SHARD, type Directory } from "../src/store/postgres/shards/directory.ts";
import { callShards, type Shard } from "../src/store/postgres/shards/shards.ts";
import { openInlineStore } from "../src/store/sqlite/open.ts";
import type { FoundPlace } from "../src/store/postgres/shards/move/over.ts";
import type { RunCall, SimCall } from "./calls.ts";
import type { Swarm } from "./faults.ts";
import { type MemoryLoss, withMemoryLoss } from "./memory-loss.ts";
import { isHere } from "./moves/account-rows.ts";
import { assertAreHere, fenceOf } from "./moves/fences.ts";
import { ask, openServer, type Server } from "./moves/server.ts";
import type { Mutant } from "./mutant.ts";
import type { Simulator } from "./simulator.ts";

export interface Stores {
  /** Their names, the home shard's first. */
  readonly shards: readonly string[];
  /** As nodes have it, with deaths and with a planted bug. */
  of(shard: string): Store;
  /** As the directory says. */
  shardOf(accountId: string): string;
  /** All of it, without what lies between it and the nodes. */
  readonly real: Store;
  /** As moves find them; `null`: accounts stay where they are. */
  readonly servers: ReadonlyMap<string, Server> | null;
}

/** A run has three accounts at most, each in another one. */
const SHARDS = [HOME_SHARD, "1", "2", "3"];

export function openStores(losses: MemoryLoss, mutant: Mutant, sim: Pick<Simulator, "after">): Stores {
  const { swarm, nowMs } = losses;
  const shards = swarm.isOn("shards") ? SHARDS : [HOME_SHARD];
  const clock = { nowMs, monotonicMs: nowMs, after: () => () => {} };
  const wrapped = mutant.onDatabase === undefined ? {} : { wrap: mutant.onDatabase };
  const opened = shards.map((shard) => {
    const inline = openInlineStore({ clock, ...wrapped });
    const mortal = withMemoryLoss(inline, losses);
    const server = openServer(sim, shard, inline);
    return [shard, { real: inline.store, mortal: mutant.onStore?.(mortal) ?? mortal, server }] as const;
  });
  const byShard = new Map(opened);
  const find = (shard: string) => byShard.get(shard) ?? fail(shard);
  const { place: places } = find(HOME_SHARD).server.marks;
  const shardOf = (accountId: string): string => {
    const place = places.get(accountId) ?? toPlace(shards[places.size % shards.length] ?? HOME_SHARD);
    places.set(accountId, place);
    return place.shard;
  };
  const runReal: RunCall = async (call, shard) => {
    const { real, server } = find(shard);
    await assertAreHere(server, fenceOf(call));
    return await runOn(real, call);
  };
  /** Wherever it is, whatever the directory says. */
  const findShard = async (accountId: string): Promise<string> => {
    for (const [shard, { server }] of byShard) if (await ask(server, (db) => isHere(db, accountId))) return shard;
    return shardOf(accountId);
  };
  return {
    shards,
    of: (shard) => find(shard).mortal,
    shardOf,
    servers: areMoving(swarm) ? new Map(opened.map(([shard, { server }]) => [shard, server])) : null,
    real: {
      ...overShards({ shards, run: runReal, directory: toDirectory(findShard) }),
      async [Symbol.asyncDispose]() {
        for (const { real } of byShard.values()) await real[Symbol.asyncDispose]();
      },
    },
  };
}

const areMoving = (swarm: Swarm): boolean => swarm.isOn("shards") && swarm.isOn("moves");

const toPlace = (shard: string): FoundPlace => ({ shard, movingTo: null, leaving: null, changes: 0 });

function fail(shard: string): never {
  throw new Error(`there is no shard ${shard}`);
}

export const runOn = (store: Store, { verb, params }: SimCall): Promise<unknown> =>
  (store[verb] as (params: unknown) => Promise<unknown>)(params);

export interface OverShards extends Pick<Stores, "shards"> {
  readonly run: RunCall;
  readonly directory: Directory;
  readonly completeMove?: (accountId: string) => Promise<void>;
}

/** The contract, each verb sent to the shards that it is about. */
export function overShards({
  shards,
  run,
  directory,
  completeMove = () => Promise.resolve(),
}: OverShards): Omit<Store, typeof Symbol.asyncDispose> {
  const list = shards.map((name): Shard => {
    const call = (asked: PostgresCall) => run(asked, name) as ReturnType<Shard["call"]>;
    return { name, isHere: true, call };
  });
  const call = callShards({
    list: () => list,
    lookAgain: () => Promise.resolve(),
    directory,
    // A run's store is slow at times, and never so slow that it counts as away.
    clock: { after: () => () => {}, nowMs: () => 0 },
    completeMove,
    acceptElsewhere: async (_, work) => (await work(new Set())).value,
  });
  // The way to a shard looks at accounts and counts, never into an attempt: the only thing that would be packed.
  const verbs = VERB_NAMES.map((verb) => [verb, (params: unknown) => call({ verb, params } as PostgresCall)]);
  return Object.fromEntries(verbs);
}

/** Nothing is on its way. */
export const toDirectory = (find: (accountId: string) => string | Promise<string>): Directory => ({
  listShards: () => Promise.resolve([]),
  async find(ids) {
    const found = await Promise.all(ids.map(async (id) => [id, { shard: await find(id), movingTo: null }] as const));
    return new Map(found);
  },
  choose: async ({ accountId }) => await find(accountId),
});
