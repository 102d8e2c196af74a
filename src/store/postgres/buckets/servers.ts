/**
 * The servers that have the groups of buckets, where there are several groups: the workers of a Citus. A server that
 * cannot be reached fails its own calls alone. Calls that waited for it would soon hold every connection, and the
 * accounts of the other servers would wait for one:
 *
 * - Its calls are refused at once until a probe says that it is back (`server-watch.ts`).
 * - One server's calls hold at most half of a pool's connections, so that one that hangs leaves the rest to others.
 *
 * A group's server changes when its shards move; its name is asked for again and again.
 */
import { assert } from "../../../lib/assert.ts";
import type { CancelTimer, Clock } from "../../../lib/clock.ts";
import { secondsMs } from "../../../lib/duration.ts";
import type { Group, Groups } from "./groups.ts";
import { type Lane, LANES, type ServerCall, ServerWatch } from "./server-watch.ts";

/** How late a server's name may be after its shards have moved. Guess. */
const LOCATED_EVERY_MS = secondsMs(15);

/** Names of servers by the first bucket of their groups. */
export type Places = ReadonlyMap<number, string>;

export interface ServerPlace {
  /** Such as `db-2:5432`. */
  readonly name: string;
  readonly groups: readonly Group[];
}

export interface ServersOptions {
  readonly groups: Groups;
  readonly clock: Pick<Clock, "monotonicMs" | "after">;
  readonly places: Places;
  /** Asks where groups lie now. */
  readonly locate: () => Promise<Places>;
  /** A read of that group, with a limit of time of its own. Rejects as PostgreSQL does. */
  readonly probe: (group: Group) => Promise<void>;
  readonly connectionsMax: Readonly<Record<Lane, number>>;
  readonly onCall: (call: ServerCall) => void;
}

export interface Servers extends Disposable {
  list(): readonly ServerPlace[];
  isHere(name: string): boolean;
  /** Runs a call of this group. Rejects with `AccountAway` where its server is away. */
  ask<Value>(group: Group, lane: Lane, work: () => Promise<Value>): Promise<Value>;
}

export function createServers(options: ServersOptions): Servers {
  const { groups, clock, locate, probe, onCall, connectionsMax } = options;
  const timers = createTimers(clock);
  let byName = new Map<string, ServerWatch>();
  let byGroup = new Map<number, ServerWatch>();

  function take(places: Places): void {
    const names = Map.groupBy(groups.all, ([first = 0]) => places.get(first) ?? "unknown");
    for (const server of byName.values()) server.take([]);
    const known = byName;
    byName = new Map();
    for (const [name, own] of names) {
      const server = known.get(name) ?? new ServerWatch({ name, clock, probe, later: timers.later, onCall });
      server.take(own);
      for (const lane of LANES) {
        const all = connectionsMax[lane];
        server.slots[lane].setMax(names.size > 1 ? Math.max(1, Math.floor(all / 2)) : all);
      }
      byName.set(name, server);
    }
    byGroup = new Map([...byName.values()].flatMap((server) => server.groups.map(([first = 0]) => [first, server])));
  }

  /** Where they cannot be asked for, the names that are known stay. */
  async function locateAgain(): Promise<void> {
    await locate().then(take, () => {});
    timers.later(LOCATED_EVERY_MS, locateAgain);
  }

  take(options.places);
  timers.later(LOCATED_EVERY_MS, locateAgain);
  return {
    list: () => [...byName.values()],
    isHere: (name) => byName.get(name)?.isHere === true,
    async ask(group, lane, work) {
      const server = byGroup.get(group[0] ?? 0);
      assert(server !== undefined, `no server has the group ${group[0]}`);
      return await server.ask(lane, work);
    },
    [Symbol.dispose]: () => timers[Symbol.dispose](),
  };
}

function createTimers(clock: Pick<Clock, "after">) {
  const cancels = new Set<CancelTimer>();
  let isOver = false;
  return {
    later(delayMs: number, run: () => Promise<void>): void {
      if (isOver) return;
      const cancel = clock.after(delayMs, () => {
        cancels.delete(cancel);
        void run();
      });
      cancels.add(cancel);
    },
    [Symbol.dispose]() {
      isOver = true;
      for (const cancel of cancels) cancel();
    },
  };
}
