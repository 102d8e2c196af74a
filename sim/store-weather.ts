/** The weather on the way to the store and back, for all nodes together: what is late, lost, and away. */
import { secondsMs } from "../src/lib/duration.ts";
import { StoreUnavailable } from "../src/store/contract/store.ts";
import type { Chance } from "./chance.ts";
import type { Swarm } from "./faults.ts";
import type { Simulator } from "./simulator.ts";

export type StoreFault = "before_commit" | "reply_lost" | "away";

export interface StoreWeather {
  /** For a call that goes to this shard. */
  draw(shard: string): { readonly thereMs: number; readonly backMs: number; readonly fault: StoreFault | null };
  /** The shard's server could not be reached at some time of the run. */
  wasAway(shard: string): boolean;
}

/** As the store tells it: only a server that cannot be reached has the code of a broken connection. */
export function toError(fault: StoreFault): StoreUnavailable {
  const cause = fault === "away" ? { cause: Object.assign(new Error("refused"), { code: "08006" }) } : {};
  return new StoreUnavailable(`the simulated store fails: ${fault}`, cause);
}

/** A store that is away stays away for a while, for everybody. */
const AWAY_SHARE = 0.15;
const AWAY_MS_MAX = secondsMs(90);
const SLOW_MS_MAX = secondsMs(20);
/** Then the answer is old when it comes. */
const SLOW_BACK_SHARE = 0.3;

export interface StoreWeatherOptions {
  readonly sim: Simulator;
  readonly swarm: Swarm;
  readonly stream: (name: string) => Chance;
  readonly areFaultsOn: () => boolean;
}

export function createStoreWeather({ sim, swarm, stream, areFaultsOn }: StoreWeatherOptions): StoreWeather {
  const dice = {
    way: stream("way"),
    error: stream("store_error"),
    lost: stream("reply_lost"),
    slow: stream("slow_store"),
    shard: stream("shard_away"),
  };
  let awayUntilMs = 0;
  const shardAwayUntilMs = new Map<string, number>();

  function isShardAway(shard: string): boolean {
    if (!swarm.isOn("shards")) return false;
    // However often it is asked meanwhile, it comes back.
    if (sim.nowMs() < (shardAwayUntilMs.get(shard) ?? 0)) return true;
    if (dice.shard.happens(swarm.rate("shard_away"))) {
      shardAwayUntilMs.set(shard, sim.nowMs() + dice.shard.between(500, AWAY_MS_MAX));
    }
    return sim.nowMs() < (shardAwayUntilMs.get(shard) ?? 0);
  }

  return {
    wasAway: (shard) => shardAwayUntilMs.has(shard),
    draw(shard) {
      const way = { thereMs: dice.way.between(0, 3), backMs: dice.way.between(0, 3), fault: null };
      if (!areFaultsOn()) return way;
      const slowMs = dice.slow.happens(swarm.rate("slow_store")) ? dice.slow.between(500, SLOW_MS_MAX) : 0;
      const isBackSlow = slowMs > 0 && dice.slow.happens(SLOW_BACK_SHARE);
      const thereMs = way.thereMs + (isBackSlow ? 0 : slowMs);
      const backMs = way.backMs + (isBackSlow ? slowMs : 0);
      const isRefused = dice.error.happens(swarm.rate("store_error"));
      if (isRefused && dice.error.happens(AWAY_SHARE)) awayUntilMs = sim.nowMs() + dice.error.between(500, AWAY_MS_MAX);
      if (isRefused || sim.nowMs() < awayUntilMs) return { ...way, thereMs, fault: "before_commit" };
      if (isShardAway(shard)) return { ...way, fault: "away" };
      return { thereMs, backMs, fault: dice.lost.happens(swarm.rate("reply_lost")) ? "reply_lost" : null };
    },
  };
}
