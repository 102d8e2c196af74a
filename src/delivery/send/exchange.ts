/**
 * One request and its answer, as undici's handler sees them:
 *
 *     queued ──onRequestStart──► headers ──onResponseStart──► body ──onResponseEnd──► settled
 *        │           └──── deadline, error, or body over the cap ────────┴──────────────┤
 *        └──── deadline, error, or `mayStart` says no: nothing was written ─────────────┘
 *
 * Invariants: settled exactly once; never later than the deadline; at most `responseBytesMax` bytes are kept and
 * `WIRE_BYTES_MAX` read; a socket with an answer that was not read to its end is destroyed. undici's own timeouts are
 * off: each 1xx and each byte of a dripping body starts them anew, so that they never end (measured).
 */
import type { IncomingHttpHeaders } from "node:http";
import type { Dispatcher } from "undici";
import type { AttemptPhase, AttemptTimings, Outcome, SendResult } from "../../domain/attempt.ts";
import type { ConnectProgress } from "../../egress/connect-outcome.ts";
import type { CancelTimer, Clock } from "../../lib/clock.ts";
import { NOT_HTTP, classifyFailure } from "./classify-failure.ts";

/** A client of undici, which owns one socket at a time. */
export interface Connection {
  /** The progress of the socket that is being opened or is open. */
  progress: ConnectProgress | null;
  /** False once a request has used the socket, so that its opening is counted only once. */
  isFresh: boolean;
  /** The exchange that the socket answers now; `null` between requests, when a receiver has nothing to say. */
  exchange: Exchange | null;
  /** Bytes read from the socket since it was opened. */
  wireBytes: number;
}

export interface ExchangeOptions {
  readonly clock: Clock;
  readonly deadlineMs: number;
  readonly responseBytesMax: number;
  /** Asked when a socket is open and free, just before the first byte is written to it. */
  readonly mayStart: () => boolean;
  /** `null` when the exchange was not allowed to start. */
  readonly onSettled: (result: SendResult | null) => void;
}

/** Guess. 1xx answers before the real one: none or one is usual, and a flood would cost CPU until the deadline. */
const INTERIM_ANSWERS_MAX = 32;

/**
 * The bytes of one answer on the wire. The parser swallows chunk extensions, trailers and empty lines silently, so that
 * a receiver could make us read at full speed until the deadline. Guess: five times what an honest answer can need,
 * which is 16 KiB of headers and 16 KiB of body in chunks of one byte, with one read of 64 KiB on top.
 */
const WIRE_BYTES_MAX = 1024 * 1024;

const NOT_OPENED = { dnsMs: null, connectMs: null, tlsMs: null };

export class Exchange implements Dispatcher.DispatchHandler {
  readonly #options: ExchangeOptions;
  readonly #startedMs: number;
  readonly #cancelDeadline: CancelTimer;
  #isSettled = false;
  #connection: Connection | null = null;
  #controller: Dispatcher.DispatchController | null = null;
  /** The opening of the socket by this request; `null` when the socket was open before. */
  #opened: ConnectProgress | null = null;
  #firstByteMs: number | null = null;
  #interimAnswers = 0;
  #wireBytesBefore = 0;
  #status = 0;
  #headers: Readonly<Record<string, string>> = {};
  readonly #chunks: Uint8Array[] = [];
  #bytes = 0;

  constructor(options: ExchangeOptions) {
    this.#options = options;
    this.#startedMs = options.clock.monotonicMs();
    this.#cancelDeadline = options.clock.after(options.deadlineMs, () => this.#stop(this.#timeout()));
  }

  /** True once the outcome is known, although `onSettled` may not have been called yet. */
  get isSettled(): boolean {
    return this.#isSettled;
  }

  /** Names the client that will send the request. Until then the request waits for a free client. */
  useConnection(connection: Connection): void {
    this.#connection = connection;
  }

  /** Ends the exchange with an error that did not come through undici's handler. */
  fail(error: Error): void {
    this.#settle(classifyFailure(error));
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    // An exception here makes undici drop the request and keep the socket (`writeH1` in its client-h1.js).
    if (!this.#isSettled && !this.#options.mayStart()) this.#settle(null);
    if (this.#isSettled) throw new Error("the attempt ended before its request could be sent");
    this.#controller = controller;
    this.#claimSocket();
    this.#claimOpening();
  }

  /** Called when the connection has received bytes, before they are parsed. */
  checkWireBytes(wireBytes: number): void {
    if (wireBytes - this.#wireBytesBefore <= WIRE_BYTES_MAX) return;
    const message = `The receiver's answer is longer than ${WIRE_BYTES_MAX / 1024} KiB before its end can be seen.`;
    this.#stop({ kind: "network_error", code: "ANSWER_TOO_LONG", message });
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    if (this.#isSettled) return;
    // undici 8.12 takes such a status for an interim answer, and fails an assertion of its own later.
    if (status < 100) return this.#stop({ kind: "network_error", code: "HTTP_PARSE", message: NOT_HTTP });
    if (status < 200) return this.#countInterimAnswer();
    this.#firstByteMs = this.#elapsedMs();
    this.#status = status;
    this.#headers = joinRepeated(headers);
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Uint8Array): void {
    if (this.#isSettled) return;
    const room = this.#options.responseBytesMax - this.#bytes;
    // Copied, because the chunk is a view of a 64 KiB buffer that would be kept alive with it.
    this.#chunks.push(new Uint8Array(chunk.subarray(0, room)));
    this.#bytes += Math.min(chunk.length, room);
    if (chunk.length > room) this.#stop(this.#response(true));
  }

  onResponseEnd(): void {
    this.#settle(this.#response(false));
  }

  onResponseError(_controller: Dispatcher.DispatchController | null, error: Error): void {
    // The socket of a request that was not allowed to start stays open; the next request reports its opening.
    if (this.#isSettled) return;
    this.#claimOpening();
    this.#settle(classifyFailure(error));
  }

  #claimSocket(): void {
    if (this.#connection === null) return;
    this.#connection.exchange = this;
    this.#wireBytesBefore = this.#connection.wireBytes;
  }

  /**
   * The request that opened a socket reports the opening, also when it fails or the time runs out. Later ones find it
   * open.
   */
  #claimOpening(): void {
    if (this.#connection?.isFresh !== true) return;
    this.#connection.isFresh = false;
    this.#opened = this.#connection.progress;
  }

  #countInterimAnswer(): void {
    this.#interimAnswers += 1;
    if (this.#interimAnswers <= INTERIM_ANSWERS_MAX) return;
    const message = `The receiver sent more than ${INTERIM_ANSWERS_MAX} interim (1xx) answers.`;
    this.#stop({ kind: "network_error", code: "INTERIM_ANSWERS", message });
  }

  /** Settles, and destroys the socket because more bytes may come on it. */
  #stop(outcome: Outcome): void {
    this.#claimOpening();
    this.#settle(outcome);
    this.#controller?.abort(new Error("the attempt has ended"));
  }

  #settle(outcome: Outcome | null): void {
    if (this.#isSettled) return;
    this.#isSettled = true;
    this.#cancelDeadline();
    if (this.#connection?.exchange === this) this.#connection.exchange = null;
    const address = this.#connection?.progress?.address ?? null;
    const result = outcome === null ? null : { outcome, timings: this.#timings(), address };
    // undici frees a socket by an immediate that it sets after this call. When the lane hears of the end only then, a
    // lane that sends one request after another stays on one socket instead of two. It also is a little faster at 64 at
    // once (measured).
    queueMicrotask(() => setImmediate(() => this.#options.onSettled(result)));
  }

  #timeout(): Outcome {
    return { kind: "timeout", phase: this.#phase() };
  }

  #phase(): AttemptPhase {
    if (this.#status !== 0) return "body";
    if (this.#controller !== null) return "headers";
    return this.#connection?.progress?.phase === "dns" ? "dns" : "connect";
  }

  #response(bodyCut: boolean): Outcome {
    const body = this.#chunks.length === 1 ? this.#chunks[0] : Buffer.concat(this.#chunks);
    const response = { status: this.#status, headers: this.#headers, body: body ?? new Uint8Array(), bodyCut };
    return { kind: "response", response };
  }

  #timings(): AttemptTimings {
    const { dnsMs, connectMs, tlsMs } = this.#opened ?? NOT_OPENED;
    return { dnsMs, connectMs, tlsMs, firstByteMs: this.#firstByteMs, totalMs: this.#elapsedMs() };
  }

  /** In whole microseconds: the digits beyond are noise, and would be stored with each attempt. */
  #elapsedMs(): number {
    return Math.round((this.#options.clock.monotonicMs() - this.#startedMs) * 1000) / 1000;
  }
}

/** undici gives a repeated header as a list. Its object is new for each answer and may be kept. */
function joinRepeated(headers: IncomingHttpHeaders): Readonly<Record<string, string>> {
  if (!hasRepeated(headers)) return headers as Record<string, string>;
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(", ") : `${value}`]),
  );
}

function hasRepeated(headers: IncomingHttpHeaders): boolean {
  for (const name in headers) if (typeof headers[name] !== "string") return true;
  return false;
}
