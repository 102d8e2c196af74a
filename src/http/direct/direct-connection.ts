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
  /** Bytes that came and are not answered. */
  #rest: Buffer | null = null;
  /** One piece more than the first is waited for. */
  #waits = false;
  #isAnswering = false;
  #hasEnded = false;
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

  /** Nothing of a request has come since the last answer. */
  isSilent(): boolean {
    return !this.#isAnswering && this.#rest === null;
  }

  readonly #onData = (piece: Buffer): void => {
    const bytes = this.#rest === null ? piece : Buffer.concat([this.#rest, piece]);
    this.#rest = bytes;
    // A caller that does not wait for its answer: it sends no more than fits here.
    if (this.#isAnswering) this.#socket.pause();
    else this.#read(bytes);
  };

  #read(bytes: Buffer): void {
    const request = this.#server.isClosing() ? "other" : readDirectRequest(bytes);
    if (request === "incomplete" && !this.#waits && bytes.length <= WAITING_BYTES_MAX) return this.#waitForMore();
    if (typeof request === "string" || this.#socket.writableLength > 0) return this.#handOver();
    const answer = this.#server.answer(request, this.#socket);
    if (answer === null) return this.#handOver();
    this.#rest = bytes.length === request.bytes ? null : bytes.subarray(request.bytes);
    this.#waits = false;
    this.#isAnswering = true;
    void answer.then(this.#onAnswer);
  }

  #waitForMore(): void {
    this.#waits = true;
    this.#setSilence(SECOND_PIECE_MS);
  }

  readonly #onAnswer = (answer: DirectAnswer): void => {
    const { keptMs, stallMs } = this.#server;
    const isLast = this.#hasEnded || this.#server.isClosing();
    this.#isAnswering = false;
    if (this.#socket.destroyed) return;
    this.#socket.write(answerText(answer, isLast ? null : keptMs));
    if (isLast) return this.#socket.destroySoon();
    this.#setSilence(this.#socket.writableLength > 0 ? stallMs : keptMs + KEPT_BEYOND_MS);
    if (this.#rest === null) return;
    this.#socket.resume();
    this.#read(this.#rest);
  };

  readonly #onEnd = (): void => {
    this.#hasEnded = true;
    // It may still read its answer. Half a request gets none.
    if (!this.#isAnswering) this.#socket.destroySoon();
  };

  readonly #onTimeout = (): void => {
    const { keptMs, stallMs } = this.#server;
    if (this.#isAnswering) return;
    if (this.#rest !== null) return this.#handOver();
    // Its answer was read after all.
    const wasRead = this.#silenceMs === stallMs && this.#socket.writableLength === 0;
    if (wasRead) this.#setSilence(keptMs + KEPT_BEYOND_MS);
    else this.#socket.destroy();
  };

  #setSilence(ms: number): void {
    if (this.#silenceMs !== ms) this.#socket.setTimeout(ms);
    this.#silenceMs = ms;
  }

  #handOver(): void {
    const socket = this.#socket;
    socket.off("data", this.#onData).off("end", this.#onEnd).off("timeout", this.#onTimeout).off("error", ignore);
    // Bytes that are put back flow when Node's server listens.
    socket.pause();
    if (this.#rest !== null) socket.unshift(this.#rest);
    this.#rest = null;
    this.#server.handOver(socket);
    socket.resume();
  }
}

/** The socket is destroyed with it. */
const ignore = (): void => {};
