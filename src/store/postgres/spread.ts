/** The servers of a database that is spread over several: whether each is there, and what is known of it. */
import type { Clock } from "../../lib/clock.ts";
import type { VerbAnswer } from "../calls.ts";
import { locateGroups } from "./citus/shards.ts";
import {
  type ConnectionOptions,
  openPool,
  PATH_POOL,
  PROBE_POOL,
  SIDE_POOL,
  toBeginning,
} from "./connection/connections.ts";
import type { DispatchOptions } from "./dispatch/dispatch.ts";
import type { Group, Groups } from "./buckets/groups.ts";
import type { ServerCall } from "./buckets/server-watch.ts";
import { createServers, type Places, type Servers } from "./buckets/servers.ts";
import { type Database, type NodeMemory, readOnce } from "./transaction.ts";

export interface Worker {
  /** Such as `db-2:5432`. */
  readonly name: string;
  /** Groups of accounts that lie there. */
  readonly groups: number;
  readonly isAway: boolean;
  /** As it was counted last; `null`: it could not be asked. */
  readonly waits: { readonly waiting: number; readonly oldestDueAtMs: number | null } | null;
}

export interface Workers {
  /** Those that have accounts now. */
  list(): readonly Worker[];
  /** From now on `onCall` is called at the end of each call of one of them. */
  follow(onCall: (call: ServerCall) => void): void;
}

export interface OpenSpread {
  readonly connections: ConnectionOptions;
  readonly groups: Groups;
  readonly node: NodeMemory;
  readonly clock: Pick<Clock, "monotonicMs" | "after">;
  readonly locate?: () => Promise<Places>;
}

export interface Spread {
  readonly servers: Servers;
  readonly workers: Workers;
  readonly onVisits: NonNullable<DispatchOptions["onVisits"]>;
  close(): Promise<void>;
}

export async function openSpread(options: OpenSpread): Promise<Spread> {
  const { connections, groups, node, clock } = options;
  let onCall: (call: ServerCall) => void = () => {};
  const probing: Database = {
    pool: openPool(connections, PROBE_POOL),
    beginning: toBeginning(connections, PROBE_POOL),
    node,
    groups,
    onReadOnly: () => {},
  };
  const isOnCitus = connections.isOnCitus === true;
  const onOne = (): Promise<Places> => Promise.resolve(new Map(groups.all.map(([first = 0]) => [first, "one"])));
  const onWorkers = (): Promise<Places> => readOnce(probing, ({ db }) => locateGroups(db, groups));
  const locate = options.locate ?? (isOnCitus ? onWorkers : onOne);
  const probe = async (group: Group): Promise<void> =>
    void (await readOnce(probing, ({ db }) => db.get(PROBE_GROUP), groups.where(group)));
  const connectionsMax = { path: PATH_POOL.connectionsMax, side: SIDE_POOL.connectionsMax };
  const places = await locate();
  const tell = (call: ServerCall): void => onCall(call);
  const servers = createServers({ groups, clock, places, locate, probe, connectionsMax, onCall: tell });
  let counted: ReadonlyMap<Group, VerbAnswer<"countWaiting">> = new Map();
  return {
    servers,
    workers: {
      list: () =>
        servers.list().map(({ name, groups: own }) => {
          const isAway = !servers.isHere(name);
          const waits = isAway ? null : addUp(own.map((group) => counted.get(group)));
          return { name, groups: own.length, isAway, waits };
        }),
      follow: (listener) => void (onCall = listener),
    },
    onVisits(verb, answers) {
      if (verb === "countWaiting") counted = answers as ReadonlyMap<Group, VerbAnswer<"countWaiting">>;
    },
    async close() {
      servers[Symbol.dispose]();
      await probing.pool.end();
    },
  };
}

/** `null` where one of them was not reached. */
function addUp(counts: readonly (VerbAnswer<"countWaiting"> | undefined)[]): Worker["waits"] {
  let waiting = 0;
  let oldestDueAtMs: number | null = null;
  for (const count of counts) {
    if (count === undefined) return null;
    waiting += count.waiting;
    if (count.oldestDueAtMs !== null) oldestDueAtMs = Math.min(count.oldestDueAtMs, oldestDueAtMs ?? Infinity);
  }
  return { waiting, oldestDueAtMs };
}

const PROBE_GROUP = `-- name: probe group
  select 1 as one
  from accounts a
  where a.bucket = any ($buckets)
  limit 1`;
