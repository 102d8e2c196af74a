/**
 * A run that begins while its installation is upgraded: the nodes are new, and some of the shards beside the home shard
 * are not of their version. Older nodes still work in one, and so nobody may migrate it; another was used by a newer
 * Bellwire, until its backup is brought back. From then on whoever asks first migrates it, which may take long.
 */
import { secondsMs } from "../src/lib/duration.ts";
import { StoreUnusable } from "../src/store/contract/store.ts";
import { HOME_SHARD } from "../src/store/postgres/shards/directory.ts";
import type { Chance } from "./chance.ts";
import type { Swarm } from "./faults.ts";
import type { History } from "./history.ts";
import type { Simulator } from "./simulator.ts";

export interface Upgrade {
  isCurrent(shard: string): boolean;
  /** It was of another version when the run began. */
  wasBehind(shard: string): boolean;
  /** As a node opens it: brings it to its version. Rejects with `StoreUnusable` while nobody may. */
  migrate(shard: string): Promise<void>;
  /** As a mover looks at it. Throws `StoreUnusable`. */
  assertIsCurrent(shard: string): void;
  /** From now on nothing is in the way of a migration. */
  heal(): void;
}

export interface UpgradeOptions {
  readonly sim: Pick<Simulator, "nowMs" | "after">;
  readonly swarm: Swarm;
  readonly chance: Chance;
  readonly shards: readonly string[];
  readonly history: () => History;
}

interface Behind {
  readonly why: string;
  untilMs: number;
  readonly lastsMs: number;
  migrating: Promise<void> | null;
}

const REASONS = [
  "it is used by nodes of an older Bellwire, which cannot work with this schema version",
  "a newer Bellwire has used it",
];
const IN_THE_WAY_MS = [0, secondsMs(5), secondsMs(60), secondsMs(240)] as const;
/** The longest is one that finds its tables locked again and again. */
const LASTS_MS = [5, 500, secondsMs(5), secondsMs(45)] as const;

/** `null`: all shards are of the nodes' version. */
export function startUpgrade({ sim, swarm, chance, shards, history }: UpgradeOptions): Upgrade | null {
  if (!swarm.isOn("upgrade") || shards.length === 1) return null;
  const startMs = sim.nowMs();
  const behind = new Map<string, Behind>();
  for (const shard of shards) {
    const untilMs = startMs + chance.pick(IN_THE_WAY_MS);
    const drawn = { why: chance.pick(REASONS), untilMs, lastsMs: chance.pick(LASTS_MS), migrating: null };
    if (shard !== HOME_SHARD && chance.happens(swarm.rate("upgrade"))) behind.set(shard, drawn);
  }
  const first: ReadonlySet<string> = new Set(behind.keys());

  async function run(shard: string, { lastsMs }: Behind): Promise<void> {
    await new Promise<void>((resolve) => {
      sim.after(lastsMs, null, resolve);
    });
    behind.delete(shard);
    history().add({ kind: "schema", shard, what: "migrated" });
  }

  return {
    isCurrent: (shard) => !behind.has(shard),
    wasBehind: (shard) => first.has(shard),
    async migrate(shard) {
      const found = behind.get(shard);
      if (found === undefined) return;
      if (found.migrating === null && sim.nowMs() < found.untilMs) {
        history().add({ kind: "schema", shard, what: "refused" });
        throw new StoreUnusable(`shard ${shard} cannot be used: ${found.why}`);
      }
      found.migrating ??= run(shard, found);
      await found.migrating;
    },
    assertIsCurrent(shard) {
      if (behind.has(shard)) throw new StoreUnusable(`shard ${shard} has another schema version`);
    },
    heal() {
      for (const found of behind.values()) found.untilMs = sim.nowMs();
    },
  };
}
