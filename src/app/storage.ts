/** Opens the store that the settings name, and refuses one that this program must not run on. */
import { checkEncryptionKey } from "../accounts/encryption-check.ts";
import { BUILT_IN_TYPES, type EventTypes } from "../events/event-types.ts";
import { type Clock, systemClock } from "../lib/clock.ts";
import { type Random, systemRandom } from "../lib/random.ts";
import { type Sealer, createSealer } from "../lib/seal.ts";
import type { Metrics } from "../observe/metrics.ts";
import type { CommitInfo } from "../store/group-commit.ts";
import { assertNotMoving } from "../store/move/marks.ts";
import type { ShardFigures } from "../store/postgres/shards/open.ts";
import { ASKED_TO_HOLD, HELD_SETTING } from "../store/contract/installation.ts";
import type { Store } from "../store/contract/store.ts";
import { type Hold, openHold } from "./hold.ts";
import type { AppOptions } from "./options.ts";

export interface Storage {
  readonly store: Store;
  readonly types: EventTypes;
  /** The whole program goes by it: with a database that many nodes share, the database's. */
  readonly clock: Clock;
  readonly random: Random;
  readonly sealer: Sealer;
  /** Resolves with the reason when the store has ended by itself: only a new process helps. */
  readonly died: Promise<Error>;
  /** Where accounts are, on PostgreSQL; `null` on SQLite. */
  readonly shards: ShardFigures | null;
  readonly hold: Hold;
  stop(): Promise<void>;
}

interface Listeners {
  readonly metrics: Metrics;
  /** Another node has put in work that is due. */
  readonly onHint: () => void;
}

/** Rejects with `StoreUnusable`, and lets go of the store then. */
export async function openStorage(options: AppOptions, { metrics, onHint }: Listeners): Promise<Storage> {
  const { random = systemRandom, types = BUILT_IN_TYPES } = options;
  const { promise: died, resolve: onDeath } = Promise.withResolvers<Error>();
  const sealer = createSealer(options.keys.encryptionKey, random);
  const opened = await openStore({ ...options, types, sealer }, { onCommit: measureCommits(metrics), onHint, onDeath });
  const { store } = opened;
  const stop = async (): Promise<void> => await store[Symbol.asyncDispose]();
  try {
    // First: the check of the key writes one where none is, which a half-moved database must not get.
    await assertNotMoving(store);
    await checkEncryptionKey(store, sealer);
    if (options.holds === true) await store.saveSettingUnlessThere({ name: HELD_SETTING, value: ASKED_TO_HOLD });
    const hold = await openHold({ store, clock: opened.clock, log: options.log });
    return { ...opened, hold, types, random, sealer, died, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

interface StoreListeners {
  readonly onCommit: (info: CommitInfo) => void;
  readonly onHint: () => void;
  readonly onDeath: (reason: Error) => void;
}

/** Loads the code of the store that the settings name, and not the other's. */
async function openStore(
  {
    config,
    types,
    sealer,
    clock = systemClock,
    holds = false,
  }: AppOptions & { readonly types: EventTypes; readonly sealer: Sealer },
  { onCommit, onHint, onDeath }: StoreListeners,
): Promise<Pick<Storage, "store" | "clock" | "shards">> {
  const { database, databasePooler: pooler } = config;
  if (database.kind === "postgres") {
    const { openPostgresStore } = await import("../store/postgres/open.ts");
    const { SHARD_ADDRESS } = await import("../store/postgres/shards/directory.ts");
    const { url } = database;
    const urlNow = (): string => (config.database.kind === "postgres" ? config.database.url : url);
    const openAddress = (sealed: string): string => sealer.open(sealed, SHARD_ADDRESS);
    return await openPostgresStore({ url, urlNow, openAddress, pooler, clock, types, holds, onCommit, onHint });
  }
  const { openSqliteStore } = await import("../store/sqlite/open.ts");
  return {
    store: await openSqliteStore({ path: database.path, clock, types, onCommit, onDeath }),
    clock,
    shards: null,
  };
}

const measureCommits =
  (metrics: Metrics) =>
  ({ commands, durationMs, waitedMs }: CommitInfo): void => {
    metrics.commitSeconds.observe(durationMs / 1000);
    metrics.commitWaitSeconds.observe(waitedMs / 1000);
    metrics.commitCommands.inc(commands);
  };
