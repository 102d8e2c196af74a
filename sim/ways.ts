/**
 * How a node reaches the shards: production's watch of each (`store/postgres/shards/watch.ts`), and its way to those
 * beside the home shard (`reach.ts` there), which opens them and brings their schemas to this version.
 */
import type { Clock } from "../src/lib/clock.ts";
import { HOME_SHARD } from "../src/store/postgres/shards/directory.ts";
import { createReach } from "../src/store/postgres/shards/reach.ts";
import { ShardWatch } from "../src/store/postgres/shards/watch.ts";
import type { Mutant } from "./mutant.ts";
import type { Life } from "./records.ts";
import type { Simulator } from "./simulator.ts";
import { type StoreWeather, toError } from "./store-weather.ts";
import type { Upgrade } from "./upgrade.ts";

export interface WaysOptions {
  readonly sim: Simulator;
  readonly life: Life;
  readonly clock: Clock;
  readonly shards: readonly string[];
  readonly weather: StoreWeather;
  /** `null`: all shards are of this node's version. */
  readonly upgrade: Upgrade | null;
  readonly mutant: Mutant;
}

export interface Ways {
  /** Rejects with `AccountAway` where the shard cannot be reached, or not be used. */
  ask<Value>(shard: string, work: () => Promise<Value>): Promise<Value>;
}

export function createWays(options: WaysOptions): Ways {
  const { clock, shards, weather, upgrade, mutant } = options;
  const toWay = (name: string): Ways["ask"] => {
    const reach = createReach(clock, () => openAnew(options, name));
    const isOpened = upgrade === null || name === HOME_SHARD;
    const open = isOpened ? () => Promise.resolve() : (mutant.onReach?.(reach.open) ?? reach.open);
    const probe = async (): Promise<void> => {
      await open();
      const { fault } = weather.draw(name);
      if (fault === "away") throw toError(fault).cause;
    };
    const watch = new ShardWatch({ name, clock, probe, onCall: () => {} });
    return (_, work) => watch.ask(isOpened ? work : () => open().then(work));
  };
  const ways = new Map(shards.map((name) => [name, toWay(name)]));
  return {
    ask: (shard, work) => ways.get(shard)?.(shard, work) ?? work(),
  };
}

const OPENED = { close: () => Promise.resolve() };

function openAnew({ sim, life, weather, upgrade }: WaysOptions, shard: string): Promise<typeof OPENED> {
  if (life.isDead) return new Promise(() => {});
  const { thereMs, backMs, fault } = weather.draw(shard);
  const arrive = async (): Promise<void> => {
    if (fault !== null) throw toError(fault);
    await upgrade?.migrate(shard);
  };
  return new Promise((resolve, reject) => {
    const back = (settle: () => void): void => sim.after(backMs, life, settle);
    sim.after(thereMs, null, () => {
      arrive().then(
        () => back(() => resolve(OPENED)),
        (error: unknown) => back(() => reject(error)),
      );
    });
  });
}
