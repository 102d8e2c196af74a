/**
 * One connection that is read directly, request after request. The first thing that is out of the ordinary gives the
 * connection to Node's server, with all bytes that were not answered, for good:
 *
 *     silent ──bytes──► request ──answer──► silent …
 *       │                 ├──half of it──► one more piece ──► request …
 *       │                 └──anything else──► Node's server
 *       └──too long──► closed
 *
 * Invariants: each byte belongs to one request that is answered here, or goes to Node's server in its order. A
 * connection changes hands only while none of its requests is being answered.
 */
import type { Socket } from "node:net";
import { answerUnreadable } from "../unreadable.ts";
import { type DirectAnswer, answerText } from "./direct-answer.ts";
import { type DirectRequest, readDirectRequest } from "./direct-request.ts";

export interface DirectServer {
  /** The time without a request before the first one and between two, as Node's server has them. */
  readonly firstMs: number;
  readonly keptMs: number;
  /** The longest time in which the caller reads no byte of its answer. */
  readonly stallMs: number;
  /** No request is taken here any more, and the one being answered is its connection's last. */
  isClosing(): boolean;
  /** `null`: the request is for Node's server. */
  answer(request: DirectRequest, socket: Socket): Promise<DirectAnswer> | null;
  /** The connection is Node's server's from here on. */
  handOver(socket: Socket): void;
}

/** A caller that writes head and body apart does so at once. A slower one is Node's server's. */
const SECOND_PIECE_MS = 1_000;

/** A head and a short body. Its caller may have no key, so it must not fill the memory with more. */
const WAITING_BYTES_MAX = 16 * 1024;

/** Node's server closes this much later than it says, so that a request under way still arrives in time. */
const KEPT_BEYOND_MS = 1_000;

export class DirectConnection {
  readonly #socket: Socket;
  readonly #server: DirectServer;
  /** Half a request: one piece more is waited for. */
  #half: Buffer | null = null;
  #isAnswering = false;
  #hasEnded = false;
  /** The caller has not read all of its answer. */
  #isStalled = false;
  #silenceMs = 0;

  constructor(socket: Socket, server: DirectServer) {
    this.#socket = socket;
    this.#server = server;
    socket.on("data", this.#onData);
    socket.on("end", this.#onEnd);
    socket.on("timeout", this.#onTimeout);
    socket.on("error", ignore);
    this.#setSilence(server.firstMs);
  }

  /** One that is being answered ends by itself. */
  close(): void {
    if (this.#isAnswering) return;
    if (this.#half === null) this.#socket.destroy();
    else this.#handOver(this.#half);
  }

  readonly #onData = (piece: Buffer): void => {
    // A caller that does not wait for its answer.
    if (this.#isAnswering) return this.#putBack(piece);
    const bytes = this.#half === null ? piece : Buffer.concat([this.#half, piece]);
    const request = this.#server.isClosing() ? "other" : readDirectRequest(bytes);
    if (request === "incomplete" && this.#half === null && bytes.length <= WAITING_BYTES_MAX) {
      this.#half = bytes;
      return this.#setSilence(SECOND_PIECE_MS);
    }
    const isRead = typeof request === "object" && this.#socket.writableLength === 0;
    const answer = isRead ? this.#server.answer(request, this.#socket) : null;
    if (!isRead || answer === null) return this.#handOver(bytes);
    this.#half = null;
    this.#isAnswering = true;
    if (bytes.length > request.bytes) this.#putBack(bytes.subarray(request.bytes));
    void answer.then(this.#onAnswer);
  };

  /** They come again behind the answer, in the stream's order and before its end. */
  #putBack(bytes: Buffer): void {
    this.#socket.pause();
    this.#socket.unshift(bytes);
  }

  readonly #onAnswer = (answer: DirectAnswer): void => {
    const socket = this.#socket;
    const { keptMs, stallMs } = this.#server;
    const isLast = this.#hasEnded || this.#server.isClosing();
    this.#isAnswering = false;
    if (socket.destroyed) return;
    socket.write(answerText(answer, isLast ? null : keptMs));
    if (isLast) return socket.destroySoon();
    this.#isStalled = socket.writableLength > 0;
    this.#setSilence(this.#isStalled ? stallMs : keptMs + KEPT_BEYOND_MS);
    if (socket.isPaused()) socket.resume();
  };

  readonly #onEnd = (): void => {
    this.#hasEnded = true;
    // It may still read its answer.
    if (this.#isAnswering) return;
    if (this.#half === null) this.#socket.destroySoon();
    else answerUnreadable(new Error("the request is not whole"), this.#socket);
  };

  readonly #onTimeout = (): void => {
    if (this.#isAnswering) return;
    if (this.#half !== null) return this.#handOver(this.#half);
    const wasRead = this.#isStalled && this.#socket.writableLength === 0;
    if (!wasRead) return void this.#socket.destroy();
    this.#isStalled = false;
    this.#silenceMs = 0;
    this.#setSilence(this.#server.keptMs + KEPT_BEYOND_MS);
  };

  #setSilence(ms: number): void {
    if (this.#silenceMs !== ms) this.#socket.setTimeout(ms);
    this.#silenceMs = ms;
  }

  #handOver(bytes: Buffer): void {
    const socket = this.#socket;
    socket.off("data", this.#onData).off("end", this.#onEnd).off("timeout", this.#onTimeout).off("error", ignore);
    // They flow when Node's server listens.
    this.#putBack(bytes);
    this.#half = null;
    this.#server.handOver(socket);
    socket.resume();
  }
}

/** The socket is destroyed with it. */
const ignore = (): void => {};
