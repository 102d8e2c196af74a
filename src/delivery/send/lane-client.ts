/**
 * A client of undici as a lane uses it: one socket at a time, and what the exchange on it has to know. Its connector
 * knows how the socket was opened, and `send` which exchange uses it; only here can the two be put together.
 */
import type { Socket } from "node:net";
import { Client, type Dispatcher, type buildConnector } from "undici";
import type { ClientCertificate } from "../../domain/authentication.ts";
import type { EgressGuard } from "../../egress/guard.ts";
import type { TlsClient } from "../../egress/open-tls.ts";
import type { Clock } from "../../lib/clock.ts";
import { minutesMs, secondsMs } from "../../lib/duration.ts";
import type { Connection, Exchange } from "./exchange.ts";

export interface LaneClientOptions {
  readonly guard: EgressGuard;
  readonly clock: Clock;
  readonly connectDeadlineMs: number;
  readonly tls: TlsClient;
  readonly origin: string;
  /** The account. */
  readonly owner: string;
  readonly certificate: ClientCertificate | null;
  /** It takes another request; its socket may be open or closed. Not called when `send` has said so already. */
  readonly onFree: (client: LaneClient) => void;
  /** Its socket has closed. `onFree` follows where a request was on it. */
  readonly onClosed: (client: LaneClient) => void;
}

const CLIENT_OPTIONS: Client.Options = {
  allowH2: false,
  pipelining: 1,
  // Many servers close idle sockets after 5 s without saying so; a request that crosses the closing is lost.
  keepAliveTimeout: secondsMs(4),
  // A receiver that says `Keep-Alive: timeout=N` is believed up to here, less the way there and back. Guess: machines
  // on the way forget connections after some minutes, and say nothing either.
  keepAliveMaxTimeout: secondsMs(60),
  keepAliveTimeoutThreshold: secondsMs(2),
  maxHeaderSize: 16 * 1024,
  // The exchange has one deadline for everything.
  headersTimeout: 0,
  bodyTimeout: 0,
};

/**
 * A socket that is older gets one more request, which says that it is the last, so that requests follow a receiver
 * that moved to another address. undici's own `clientTtl` reads the clock for each client on each request, which cost a
 * sixth of the throughput at 64 in flight (measured).
 */
const SOCKET_AGE_MS_MAX = minutesMs(1);

export class LaneClient {
  readonly #clock: Clock;
  readonly #client: Client;
  readonly #connection: Connection = { progress: null, isFresh: false, exchange: null, wireBytes: 0 };
  #isOldFromMs = Number.POSITIVE_INFINITY;
  #socket: Socket | null = null;

  constructor(options: LaneClientOptions) {
    const { clock, onFree, onClosed } = options;
    this.#clock = clock;
    this.#client = new Client(options.origin, { ...CLIENT_OPTIONS, connect: this.#connector(options) });
    this.#client.on("drain", () => onFree(this));
    this.#client.on("disconnect", () => {
      this.#socket = null;
      this.#isOldFromMs = Number.POSITIVE_INFINITY;
      onClosed(this);
    });
  }

  /** True while a socket is open. undici does not tell of one that was closed before it could take it. */
  get isOpen(): boolean {
    return this.#socket?.destroyed === false;
  }

  /** Returns true when it takes another request at once; otherwise `onFree` says when. */
  send(request: Dispatcher.DispatchOptions, exchange: Exchange): boolean {
    exchange.useConnection(this.#connection);
    // `reset` sends "connection: close": the next request opens a new socket.
    const asked = this.#clock.monotonicMs() >= this.#isOldFromMs ? { ...request, reset: true } : request;
    const wasSettled = exchange.isSettled;
    const isFree = this.#client.dispatch(asked, exchange);
    // undici says "busy" also for a request that it refuses, and then never says "drain".
    return isFree || (exchange.isSettled && !wasSettled);
  }

  /** Closes the socket while no request is on it, without the error and its stack that undici's `destroy` makes. */
  closeIdle(): void {
    this.#socket?.destroy();
  }

  /** Closes the socket, and ends what is on it. */
  async destroy(): Promise<void> {
    await this.#client.destroy();
  }

  #connector({ guard, clock, connectDeadlineMs: deadlineMs, tls, owner, certificate }: LaneClientOptions) {
    const onStart: Parameters<EgressGuard["connector"]>[0]["onStart"] = (progress) => {
      this.#connection.progress = progress;
      this.#connection.isFresh = true;
    };
    const connect = guard.connector({ clock, deadlineMs, tls, owner, certificate, onStart });
    const connector: buildConnector.connector = (target, callback) =>
      connect(target, (...result) => {
        if (result[1] !== null) this.#watch(result[1]);
        callback(...result);
      });
    return connector;
  }

  /**
   * undici's parser does not report the bytes that it skips, so they are counted on the socket before it reads them.
   * Between requests a receiver has nothing to say: one that talks then loses its connection, and cannot plant an
   * answer.
   */
  #watch(socket: Socket): void {
    const connection = this.#connection;
    this.#socket = socket;
    this.#isOldFromMs = this.#clock.monotonicMs() + SOCKET_AGE_MS_MAX;
    connection.wireBytes = 0;
    socket.on("readable", () => {
      connection.wireBytes = socket.bytesRead;
      if (connection.exchange !== null) connection.exchange.checkWireBytes(socket.bytesRead);
      else if (socket.readableLength > 0) socket.destroy();
    });
  }
}
