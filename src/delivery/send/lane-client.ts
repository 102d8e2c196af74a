/**
 * One socket at a time to one origin, and the request on it:
 *
 *     closed ──open──► opening ──► idle ──send──► busy ──answer is complete──► idle …
 *                         └► closed  └► closed: by either side, or bytes came unasked; busy: no whole answer
 *
 * Invariants: one request at a time; bytes between two requests close the socket, so that a receiver cannot plant an
 * answer; a socket is used again only when the answer before is complete and its request was written to the end.
 */
import type { Socket } from "node:net";
import type { Outcome } from "../../domain/attempt.ts";
import type { ClientCertificate } from "../../domain/authentication.ts";
import type { ConnectProgress } from "../../egress/connect-outcome.ts";
import type { EgressGuard } from "../../egress/guard.ts";
import type { TlsClient } from "../../egress/open-tls.ts";
import type { Clock } from "../../lib/clock.ts";
import { minutesMs } from "../../lib/duration.ts";
import { assert } from "../../lib/assert.ts";
import { type Carrier, type Exchange, classifyFailure } from "./exchange.ts";
import { AnswerFault } from "./http1/read-head.ts";
import { AnswerParser, KEPT_MS } from "./http1/answer-parser.ts";
import type { WrittenRequest } from "./http1/write-head.ts";

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
  /** No socket opened. */
  readonly onFailed: (outcome: Outcome) => void;
  /** Its socket has closed. `onFree` follows where a request was on it. */
  readonly onClosed: (client: LaneClient) => void;
}

/**
 * A socket that is older gets one more request, which says that it is the last, so that requests follow a receiver
 * that moved to another address.
 */
const SOCKET_AGE_MS_MAX = minutesMs(1);

/** A head and a body up to this size are copied into one buffer, which costs less than writing two. */
const ONE_WRITE_BYTES_MAX = 16 * 1024;

export class LaneClient implements Carrier {
  readonly #options: LaneClientOptions;
  readonly #connect: ReturnType<EgressGuard["connector"]>;
  readonly #parser = new AnswerParser();
  #progress: ConnectProgress | null = null;
  /** False once a request has reported the opening of the socket. */
  #isFresh = false;
  #socket: Socket | null = null;
  /** The exchange that the socket answers now. */
  #exchange: Exchange | null = null;
  #isOldFromMs = 0;
  /** Its request says that no other will come on this socket. */
  #isLast = false;
  #idleUntilMs = 0;
  #isDestroyed = false;
  #isOpening = false;

  constructor(options: LaneClientOptions) {
    this.#options = options;
    const { guard, clock, connectDeadlineMs: deadlineMs, tls, owner, certificate } = options;
    const onStart = (progress: ConnectProgress): void => {
      this.#progress = progress;
      this.#isFresh = true;
    };
    this.#connect = guard.connector({ clock, deadlineMs, tls, owner, certificate, onStart });
  }

  get isOpen(): boolean {
    return this.#socket?.destroyed === false;
  }

  get isOpening(): boolean {
    return this.#isOpening;
  }

  /** The monotonic instant until which its socket, while it is idle, may be used again. */
  get idleUntilMs(): number {
    return this.#idleUntilMs;
  }

  get progress(): ConnectProgress | null {
    return this.#progress;
  }

  takeOpening(): ConnectProgress | null {
    if (!this.#isFresh) return null;
    this.#isFresh = false;
    return this.#progress;
  }

  /** Its socket is open. Returns true when it takes another request at once; otherwise `onFree` says when. */
  send(request: WrittenRequest, exchange: Exchange): boolean {
    exchange.useCarrier(this);
    assert(this.#socket !== null, "a request was given to a client without a socket");
    return !this.#write(this.#socket, request, exchange);
  }

  /** `onClosed` follows, and ends a request that is on it. */
  closeSocket(): void {
    this.#socket?.destroy();
  }

  /** Closes the socket, also one that is being opened, and ends what is on it. Resolves when it is closed. */
  async destroy(): Promise<void> {
    this.#isDestroyed = true;
    const socket = this.#socket;
    if (socket === null) return;
    const closed = new Promise((resolve) => socket.once("close", resolve));
    socket.destroy();
    await closed;
  }

  /** `onFree` or `onFailed` follows. */
  async open(): Promise<void> {
    this.#isOpening = true;
    const opened = await this.#connect(new URL(this.#options.origin));
    this.#isOpening = false;
    if (!opened.ok) return this.#options.onFailed(opened.error);
    const socket = opened.value;
    this.#watch(socket);
    if (this.#isDestroyed) socket.destroy();
    if (socket.destroyed) this.#options.onFailed(classifyFailure(new AnswerFault("ANSWER_INCOMPLETE")));
    else this.#options.onFree(this);
  }

  /** Returns false when the exchange may not start. */
  #write(socket: Socket, { start, rest, bytes }: WrittenRequest, exchange: Exchange): boolean {
    if (!exchange.start()) return false;
    this.#exchange = exchange;
    this.#parser.begin(exchange);
    this.#isLast = this.#options.clock.monotonicMs() >= this.#isOldFromMs;
    const head = `${start}connection: ${this.#isLast ? "close" : "keep-alive"}\r\n${rest}`;
    if (head.length + bytes.length <= ONE_WRITE_BYTES_MAX) {
      const whole = Buffer.allocUnsafe(head.length + bytes.length);
      whole.write(head, "latin1");
      whole.set(bytes, head.length);
      socket.write(whole);
    } else {
      socket.cork();
      socket.write(head, "latin1");
      socket.write(bytes);
      socket.uncork();
    }
    return true;
  }

  #watch(socket: Socket): void {
    this.#socket = socket;
    const nowMs = this.#options.clock.monotonicMs();
    this.#isOldFromMs = nowMs + SOCKET_AGE_MS_MAX;
    // A request that waited for it may not start, and leaves it to the next one.
    this.#idleUntilMs = nowMs + KEPT_MS;
    let fault: Error = new AnswerFault("ANSWER_INCOMPLETE");
    socket.on("data", (chunk: Buffer) => this.#take(socket, chunk));
    socket.on("end", () => this.#endByClosing(socket));
    socket.on("error", (error) => {
      fault = error;
      // The receiver said all that it wanted before the reset.
      if ("code" in error && error.code === "ECONNRESET") this.#endByClosing(socket);
    });
    socket.on("close", () => this.#close(socket, fault));
    // A proxy's tunnel waits with what has come through it.
    socket.resume();
  }

  #take(socket: Socket, chunk: Buffer): void {
    const exchange = this.#exchange;
    if (exchange === null) return void socket.destroy();
    if (!exchange.takeWireBytes(chunk.length)) return;
    try {
      const isComplete = this.#parser.take(chunk);
      if (isComplete && !exchange.isSettled) this.#finish(socket, exchange);
    } catch (error) {
      if (!(error instanceof AnswerFault)) throw error;
      exchange.fail(error);
      socket.destroy();
    }
  }

  #endByClosing(socket: Socket): void {
    const exchange = this.#exchange;
    if (exchange !== null && !exchange.isSettled && this.#parser.endsByClosing()) this.#finish(socket, exchange);
    // At once: a request that was written now would be lost.
    socket.destroy();
  }

  #finish(socket: Socket, exchange: Exchange): void {
    this.#exchange = null;
    const keptMs = this.#isLast ? 0 : this.#parser.keptMs();
    exchange.complete(this.#parser.oddity());
    this.#parser.forget();
    // An answer that came before the request was written to its end: the rest of the request would follow it.
    if (keptMs === 0 || socket.writableLength > 0) socket.destroy();
    this.#idleUntilMs = this.#options.clock.monotonicMs() + keptMs;
    this.#options.onFree(this);
  }

  #close(socket: Socket, fault: Error): void {
    // `send` may have opened another one already.
    if (this.#socket !== socket) return;
    this.#socket = null;
    const exchange = this.#exchange;
    this.#exchange = null;
    if (exchange !== null && !exchange.isSettled) this.#parser.endHead();
    exchange?.fail(fault);
    this.#options.onClosed(this);
    if (exchange !== null) this.#options.onFree(this);
  }
}
