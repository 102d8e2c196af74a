/** The sessions of a distribution: one that works, and one that watches and calls it off. */
import type pg from "pg";
import type { Clock } from "../../../lib/clock.ts";
import { secondsMs } from "../../../lib/duration.ts";
import { StoreUnavailable } from "../../contract/store.ts";
import { overClient } from "../connection/connection.ts";
import { newSession, type ConnectionOptions, describeUrl } from "../connection/connections.ts";
import { migratingSession } from "../schema/migrating-session.ts";
import { assertServerIsUsable, assertServerTakesWrites, loadServer, openingError } from "../connection/server.ts";
import { type Distribute, type Distributed, distribute } from "./distribute.ts";
import { DISTRIBUTING } from "./ready.ts";

export interface Distribution extends AsyncDisposable {
  /** Rejects with `StoreUnusable` or `StoreUnavailable`. */
  run(options: Omit<Distribute, "session" | "place">): Promise<Distributed>;
  /** The statement that runs ends, and what it had not finished is taken back. */
  callOff(): Promise<void>;
  /** The size of this database on all workers together. */
  readonly workersBytes: () => Promise<number>;
}

/** Rejects with `StoreUnusable` or `StoreUnavailable`. */
export async function openDistribution(url: string, clock: Clock): Promise<Distribution> {
  const place = describeUrl(url);
  const connections: ConnectionOptions = { url, pooler: "none", forcesSync: false, name: DISTRIBUTING };
  const [worker, watcher] = [newClient(connections), newClient(connections)];
  let isCalledOff = false;
  try {
    await Promise.all([worker.connect(), watcher.connect()]);
    const server = await loadServer(worker);
    assertServerIsUsable(server, place, "none");
    assertServerTakesWrites(server, place);
  } catch (error) {
    await Promise.allSettled([worker.end(), watcher.end()]);
    throw openingError(place, error);
  }
  const pid = (worker as unknown as { readonly processID: number }).processID;
  const look = overClient(watcher, { sql: ";", keepsStatements: false });
  return {
    async run(options) {
      let isTooLong = false;
      let waitedLooks = 0;
      const watching = everySecond(clock, async () => {
        const isWaitedFor = (await look.get(FIND_WAITING, pid)) !== undefined;
        waitedLooks = isWaitedFor ? waitedLooks + 1 : 0;
        // Once: Citus then takes back what it had begun, which must not be called off too.
        if (waitedLooks < WAIT_S_MAX || isTooLong) return;
        isTooLong = true;
        await look.get(CALL_OFF, pid);
      });
      try {
        return await distribute({ ...options, place, session: migratingSession(worker, connections) });
      } catch (error) {
        if (isCalledOff) return "stopped";
        if (isTooLong) throw new StoreUnavailable(WAITED, { cause: error });
        throw openingError(place, error);
      } finally {
        watching[Symbol.dispose]();
      }
    },
    async callOff() {
      isCalledOff = true;
      await look.get(CALL_OFF, pid);
    },
    workersBytes: async () => (await look.get<{ bytes: number }>(SUM_WORKERS_BYTES))?.bytes ?? 0,
    async [Symbol.asyncDispose]() {
      await Promise.allSettled([worker.end(), watcher.end()]);
    },
  };
}

/**
 * At the end of a table Citus lets writes wait until the workers have followed, and until it has noted the new shards:
 * some seconds for a table of many days. Where a worker does not follow they would wait without an end.
 */
const WAIT_S_MAX = 30;
const WAITED =
  `Writes had to wait for ${WAIT_S_MAX} s, because a worker did not follow. The table was called off, and is as it ` +
  "was. Look into the workers' logs";

function everySecond(clock: Clock, look: () => Promise<void>): Disposable {
  let isOver = false;
  let cancel = clock.after(secondsMs(1), again);
  function again(): void {
    void look()
      .catch(() => {})
      .then(() => {
        if (!isOver) cancel = clock.after(secondsMs(1), again);
      });
  }
  return {
    [Symbol.dispose]() {
      isOver = true;
      cancel();
    },
  };
}

function newClient(connections: ConnectionOptions): pg.Client {
  const client = newSession(connections, { pipeline: true });
  // The running query reports connection errors.
  client.on("error", () => {});
  return client;
}

/** A node gives up after 5 s and tries again, so that one wait alone is never long. */
const FIND_WAITING = `-- name: find writes behind distribution
  select 1
  from pg_stat_activity
  where datname = current_database() and wait_event_type = 'Lock'
    and cast($1 as integer) = any (pg_blocking_pids(pid))
  limit 1`;

const CALL_OFF = `-- name: call off distribution
  select pg_cancel_backend(cast($1 as integer))`;

const SUM_WORKERS_BYTES = `-- name: sum bytes of workers
  select coalesce(sum(result::bigint), 0)::bigint as bytes
  from run_command_on_workers('values (pg_database_size(current_database()))')
  where success`;
