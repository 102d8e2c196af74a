/**
 * The store on PostgreSQL: any number of nodes on one database, or on several shards (`shards/`). The home shard is the
 * one that `BELLWIRE_DATABASE` names; the others stand in its directory.
 */
import { BUILT_IN_TYPES, type EventTypes } from "../../events/event-types.ts";
import type { Clock } from "../../lib/clock.ts";
import { storeOver } from "../calls.ts";
import type { Store } from "../contract/store.ts";
import type { CommitInfo } from "../group-commit.ts";
import { packAttempt } from "./attempts.ts";
import { createDatabaseClock } from "./connection/database-clock.ts";
import { describeUrl } from "./connection/connections.ts";
import { openingError, type Pooler } from "./connection/server.ts";
import { type Forms, newForms } from "./schema/forms.ts";
import { type OpenedShard, openShard } from "./shard.ts";
import { openShards, type ShardFigures, type Shards } from "./shards/open.ts";

export interface OpenPostgresStore {
  /** `postgres://…` */
  readonly url: string;
  /** The same for each session that is opened later. */
  readonly urlNow?: () => string;
  /** Opens the sealed address of another shard. Throws when it was sealed with another key. */
  readonly openAddress?: (sealed: string) => string;
  /** The pooler in front of the servers; nothing unless given. */
  readonly pooler?: Pooler;
  readonly clock: Clock;
  /** The event types that its rows are read by; the built-in ones unless given. */
  readonly types?: EventTypes;
  /** Called after each commit of accepts or settlements. */
  readonly onCommit?: (info: CommitInfo) => void;
  /** For tests: a node of an older or newer version, by what it reads and writes. */
  readonly forms?: Partial<Pick<Forms, "reads" | "writes">>;
  /** To look at the home shard alone: no table is made or changed, and no other shard is opened. */
  readonly onlyLooks?: boolean;
  /** Holds the installation until it is adopted. */
  readonly holds?: boolean;
  /**
   * Called when a node has made something due that it does not hold itself: a claim may find it. Never called behind a
   * pooler, where no node can listen: there the next tick finds it.
   */
  readonly onHint?: () => void;
}

export interface PostgresStore {
  readonly store: Store;
  /** The home database's: the node compares the store's instants with it. Ends with the store. */
  readonly clock: Clock;
  readonly shards: ShardFigures;
}

/**
 * Rejects with `StoreUnusable` (no such database, no rights, too new, a server that cannot keep promises) or
 * `StoreUnavailable` (it cannot be reached now). A shard that is away, or that cannot be used, fails its own accounts.
 */
export async function openPostgresStore(options: OpenPostgresStore): Promise<PostgresStore> {
  const { url, urlNow = () => url, pooler = "none", clock, onCommit = () => {}, onHint = null } = options;
  const { openAddress = (address) => address, onlyLooks = false, holds = false, types = BUILT_IN_TYPES } = options;
  const databaseClock = createDatabaseClock(clock);
  const own = { pooler, clock, types, onCommit, onHint };
  const ofNode = { ...own, newForms: () => newForms(options.forms) };
  const { measure } = databaseClock;
  const home = await openShard({
    ...own,
    url,
    urlNow,
    isHome: true,
    onlyLooks,
    holds,
    forms: ofNode.newForms(),
    measure,
  });
  const following = databaseClock.follow(home.askTime);
  const { nowMs } = databaseClock.clock;
  const openAll = (): Promise<Shards> => openShards({ ...ofNode, home, openAddress, nowMs });
  const shards = await (onlyLooks ? alone(home) : openAll()).catch(async (error: unknown) => {
    following[Symbol.dispose]();
    await home.close();
    throw openingError(describeUrl(url), error);
  });
  const store = storeOver({
    packAttempt,
    call: shards.call,
    async close() {
      following[Symbol.dispose]();
      await shards.close();
    },
  });
  return { store, clock: databaseClock.clock, shards };
}

const alone = async ({ call, close }: OpenedShard): Promise<Shards> => ({
  call,
  close,
  list: () => [],
  follow: () => {},
});
