/**
 * The open connections, kept apart by destination: each lane has a pool of its own, so that a hanging destination holds
 * only its own sockets. When a lane's URL moves to another origin, the lane gets a new pool.
 *
 * Invariant: at most `lanesMax` pools, plus one for each lane with a request in flight; a pool that has been idle for
 * `POOL_IDLE_MS` is closed.
 */
import type { Socket } from "node:net";
import { Client, type Dispatcher, Pool, type buildConnector } from "undici";
import type { TlsTrust } from "../egress/connect-outcome.ts";
import type { EgressGuard } from "../egress/guard.ts";
import type { Clock } from "../lib/clock.ts";
import { minutesMs, secondsMs } from "../lib/duration.ts";
import { type Connection, Exchange } from "./exchange.ts";

export interface ConnectionsOptions {
  readonly guard: EgressGuard;
  readonly clock: Clock;
  readonly connectDeadlineMs: number;
  readonly connectionsPerLane: number;
  readonly lanesMax: number;
  readonly tls?: TlsTrust | undefined;
}

/** A lane's pool, from the first request to its end. */
export interface LanePool {
  readonly origin: string;
  readonly pool: Pool;
  inFlight: number;
  usedAtMs: number;
  /** No new requests; destroyed when the last one is done. */
  isRetired: boolean;
  readonly gone: Promise<void>;
  readonly markGone: () => void;
}

/** Longer than sockets are kept alive, so that a pool closed here has no open socket left. */
const POOL_IDLE_MS = secondsMs(15);

const CLIENT_OPTIONS: Client.Options = {
  allowH2: false,
  pipelining: 1,
  // Many servers close idle sockets after 5 s without saying so; a request that crosses the closing is lost.
  keepAliveTimeout: secondsMs(4),
  keepAliveMaxTimeout: secondsMs(10),
  maxHeaderSize: 16 * 1024,
  // The exchange has one deadline for everything.
  headersTimeout: 0,
  bodyTimeout: 0,
};

/**
 * A busy socket is replaced after this long, so that requests follow a receiver that moved to another address. undici's
 * own `clientTtl` reads the clock for each client on each request, which cost a sixth of the throughput at 64 in flight
 * (measured).
 */
const SOCKET_AGE_MS_MAX = minutesMs(1);

export class Connections {
  readonly #options: ConnectionsOptions;
  /** In the order of their last use. */
  readonly #lanes = new Map<string, LanePool>();
  readonly #retired = new Set<LanePool>();
  #isSweeping = false;

  constructor(options: ConnectionsOptions) {
    this.#options = options;
  }

  /** Returns the lane's pool for that origin, counted as in use until `release`. Throws when the origin is no URL's. */
  take(lane: string, origin: string, owner = lane): LanePool {
    let pool = this.#lanes.get(lane);
    this.#lanes.delete(lane);
    if (pool !== undefined && pool.origin !== origin) this.#retire(pool);
    if (pool === undefined || pool.isRetired) {
      this.#makeRoom();
      pool = this.#open(origin, owner);
    }
    this.#lanes.set(lane, pool);
    pool.inFlight += 1;
    return pool;
  }

  release(pool: LanePool): void {
    pool.inFlight -= 1;
    pool.usedAtMs = this.#options.clock.monotonicMs();
    if (pool.isRetired) this.#destroyIfUnused(pool);
  }

  /** Pools that exist, for tests and metrics. */
  count(): number {
    return this.#lanes.size + this.#retired.size;
  }

  /** Resolves when the requests in flight have ended and every socket is closed. */
  async close(): Promise<void> {
    const lanes = [...this.#lanes.values()];
    this.#lanes.clear();
    for (const pool of lanes) this.#retire(pool);
    await Promise.all([...this.#retired].map(({ gone }) => gone));
  }

  #open(origin: string, owner: string): LanePool {
    const { promise: gone, resolve: markGone } = Promise.withResolvers<void>();
    const pool = new Pool(origin, {
      connections: this.#options.connectionsPerLane,
      allowH2: false,
      factory: () => openClient(origin, { ...this.#options, owner }),
    });
    this.#sweepLater();
    const usedAtMs = this.#options.clock.monotonicMs();
    return { origin, pool, inFlight: 0, usedAtMs, isRetired: false, gone, markGone };
  }

  #retire(pool: LanePool): void {
    pool.isRetired = true;
    this.#retired.add(pool);
    this.#destroyIfUnused(pool);
  }

  #destroyIfUnused(pool: LanePool): void {
    if (pool.inFlight > 0) return;
    void pool.pool.destroy().then(() => {
      this.#retired.delete(pool);
      pool.markGone();
    });
  }

  /** Closes the pool that was idle for longest. While all pools are in use, there is one more for a while. */
  #makeRoom(): void {
    if (this.#lanes.size < this.#options.lanesMax) return;
    for (const [lane, pool] of this.#lanes) {
      if (pool.inFlight > 0) continue;
      this.#lanes.delete(lane);
      return this.#retire(pool);
    }
  }

  #sweepLater(): void {
    if (this.#isSweeping) return;
    this.#isSweeping = true;
    this.#options.clock.after(POOL_IDLE_MS, () => this.#sweep());
  }

  #sweep(): void {
    this.#isSweeping = false;
    const idleSinceMs = this.#options.clock.monotonicMs() - POOL_IDLE_MS;
    for (const [lane, pool] of this.#lanes) {
      if (pool.inFlight > 0 || pool.usedAtMs > idleSinceMs) continue;
      this.#lanes.delete(lane);
      this.#retire(pool);
    }
    if (this.#lanes.size > 0) this.#sweepLater();
  }
}

/**
 * A client owns one socket at a time. Its connector knows how the socket was opened, and its `dispatch` is where undici
 * decides which client sends a request. Only here can the two be put together.
 */
function openClient(origin: string, options: ConnectionsOptions & { readonly owner: string }): Client {
  const { guard, clock, connectDeadlineMs, tls, owner } = options;
  const connection: Connection = { progress: null, isFresh: false, exchange: null, wireBytes: 0 };
  let isOldFromMs = Number.POSITIVE_INFINITY;
  const connect = guard.connector({
    clock,
    deadlineMs: connectDeadlineMs,
    tls,
    owner,
    onStart: (progress) => {
      connection.progress = progress;
      connection.isFresh = true;
      isOldFromMs = clock.monotonicMs() + SOCKET_AGE_MS_MAX;
    },
  });
  const client = new Client(origin, { ...CLIENT_OPTIONS, connect: watched(connect, connection) });
  const dispatch = client.dispatch.bind(client);
  client.dispatch = (given: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler) => {
    // `reset` sends "connection: close": the next request opens a new socket.
    const asked = clock.monotonicMs() >= isOldFromMs ? { ...given, reset: true } : given;
    if (!(handler instanceof Exchange)) return dispatch(asked, handler);
    handler.useConnection(connection);
    const wasSettled = handler.isSettled;
    const isFree = dispatch(asked, handler);
    // undici answers "busy" also for a request that it refuses, and the pool would then wait for the client without
    // end.
    return isFree || (handler.isSettled && !wasSettled);
  };
  client.on("disconnect", () => {
    isOldFromMs = Number.POSITIVE_INFINITY;
  });
  return client;
}

/**
 * undici's parser does not report the bytes that it skips, so they are counted on the socket before it reads them.
 * Between requests a receiver has nothing to say: one that talks then loses its connection, and cannot plant an answer.
 */
function watched(connect: buildConnector.connector, connection: Connection): buildConnector.connector {
  const watch = (socket: Socket) => {
    connection.wireBytes = 0;
    socket.on("readable", () => {
      connection.wireBytes = socket.bytesRead;
      if (connection.exchange !== null) connection.exchange.checkWireBytes(socket.bytesRead);
      else if (socket.readableLength > 0) socket.destroy();
    });
  };
  return (target, callback) =>
    connect(target, (...result) => {
      if (result[1] !== null) watch(result[1]);
      callback(...result);
    });
}
