/**
 * One request and its answer, as its socket and the answer's parser report them:
 *
 *     queued ──start──► headers ──onHead──► body ──end──► settled
 *        │         └─── deadline, error, or body over the cap ──┤
 *        └── deadline, error, or `mayStart` says no: nothing was written
 *
 * Invariants: settled exactly once; never later than the deadline; at most `responseBytesMax` bytes are kept and
 * `WIRE_BYTES_MAX` read; a socket with an answer that was not read to its end is closed. The deadline covers
 * everything: limits that begin anew with each byte never end with a receiver that drips.
 */
import type { AttemptPhase, AttemptTimings, Outcome, SendResult } from "../../domain/attempt.ts";
import type { ConnectProgress } from "../../egress/connect-outcome.ts";
import type { CancelTimer, Clock } from "../../lib/clock.ts";
import type { AnswerSink } from "./http1/answer-parser.ts";
import { FAILURE_CODES, type FailureCode } from "../../domain/failure-codes.ts";
import { alertWords } from "../../egress/client-certificate.ts";
import { NO_CODE, errorWords, readFaultCode } from "../../lib/fault-words.ts";
import { AnswerFault } from "./http1/read-head.ts";

/** The socket of the client that carries the request. */
export interface Carrier {
  /** The progress of the socket that is being opened or is open. */
  readonly progress: ConnectProgress | null;
  /** The progress, for the first request that asks: the opening is counted only once. */
  takeOpening(): ConnectProgress | null;
  /** Closes the socket, because more may come on it. */
  closeSocket(): void;
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
/** All of them together: 32 as long as a head may be took 35 ms (measured). */
const INTERIM_BYTES_MAX = 32 * 1024;

/**
 * The bytes of one answer on the wire. Chunk extensions, interim answers and empty lines are skipped, and a receiver
 * could make us read at full speed until the deadline. Guess: five times what an honest answer can need,
 * which is 16 KiB of headers and 16 KiB of body in chunks of one byte, with one read of 64 KiB on top.
 */
const WIRE_BYTES_MAX = 1024 * 1024;

/** A read counts as at least so much, because each costs 2 to 13 µs of CPU (measured), however small it is. */
const READ_BYTES_MIN = 256;

const NOT_OPENED = { dnsMs: null, connectMs: null, tlsMs: null };

export class Exchange implements AnswerSink {
  readonly #options: ExchangeOptions;
  readonly #startedMs: number;
  readonly #cancelDeadline: CancelTimer;
  #isSettled = false;
  #hasStarted = false;
  #carrier: Carrier | null = null;
  /** The opening of the socket by this request; `null` when the socket was open before. */
  #opened: ConnectProgress | null = null;
  #firstByteMs: number | null = null;
  #interimAnswers = 0;
  #interimBytes = 0;
  #wireBytes = 0;
  #status = 0;
  #headers: Readonly<Record<string, string>> = {};
  readonly #body: AnswerStart;

  constructor(options: ExchangeOptions) {
    this.#options = options;
    this.#body = new AnswerStart(options.responseBytesMax);
    this.#startedMs = options.clock.monotonicMs();
    this.#cancelDeadline = options.clock.after(options.deadlineMs, () =>
      this.#stop({ kind: "timeout", phase: this.#phase() }),
    );
  }

  get isSettled(): boolean {
    return this.#isSettled;
  }

  /** Names the client that will send the request. Until then the request waits for a free client. */
  useCarrier(carrier: Carrier): void {
    this.#carrier = carrier;
  }

  /** Its socket is open and free. Returns whether the request may be written now. */
  start(): boolean {
    if (!this.#isSettled && !this.#options.mayStart()) this.#settle(null);
    // The socket of a request that was not allowed to start stays open; the next request reports its opening.
    if (this.#isSettled) return false;
    this.#hasStarted = true;
    this.#claimOpening();
    return true;
  }

  /** Ends the exchange with an error of the socket, of the answer or of ours. Only ours drops a status already read. */
  fail(error: Error): void {
    const failure = classifyFailure(error);
    if (this.#status === 0 || failure.kind === "internal_error") return this.end(failure);
    this.end(this.#response(false, "message" in failure ? (failure.message ?? null) : null));
  }

  /** Ends the exchange without an answer. */
  end(outcome: Outcome): void {
    if (this.#isSettled) return;
    this.#claimOpening();
    this.#settle(outcome);
  }

  /** Ends the exchange with the answer that has come. `oddity` is a sentence about its form. */
  complete(oddity: string | null): void {
    this.#settle(this.#response(false, oddity));
  }

  /** Counts one read for this request, before it is parsed. Returns false when it is over the cap. */
  takeWireBytes(count: number): boolean {
    this.#wireBytes += Math.max(count, READ_BYTES_MIN);
    if (this.#wireBytes <= WIRE_BYTES_MAX) return true;
    const message = `The receiver's answer is longer than ${WIRE_BYTES_MAX / 1024} KiB before its end can be seen.`;
    const failure = { kind: "network_error", code: "ANSWER_TOO_LONG", message } as const;
    this.#stop(this.#status === 0 ? failure : this.#response(true, message));
    return false;
  }

  onInterim(bytes: number): void {
    this.#interimAnswers += 1;
    this.#interimBytes += bytes;
    if (this.#interimAnswers <= INTERIM_ANSWERS_MAX && this.#interimBytes <= INTERIM_BYTES_MAX) return;
    const most = `${INTERIM_ANSWERS_MAX} interim (1xx) answers, or ${INTERIM_BYTES_MAX / 1024} KiB of them`;
    const message = `The receiver sent more than ${most}.`;
    this.#stop({ kind: "network_error", code: "INTERIM_ANSWERS", message });
  }

  onHead(status: number, headers: Readonly<Record<string, string>>): void {
    if (this.#isSettled) return;
    this.#firstByteMs = this.#elapsedMs();
    this.#status = status;
    this.#headers = headers;
  }

  onBody(data: Uint8Array): void {
    if (this.#isSettled) return;
    if (!this.#body.take(data)) this.#stop(this.#response(true, null));
  }

  /**
   * The request that opened a socket reports the opening, also when it fails or the time runs out. Later ones find it
   * open.
   */
  #claimOpening(): void {
    this.#opened ??= this.#carrier?.takeOpening() ?? null;
  }

  /** Settles, and closes the socket because more bytes may come on it. */
  #stop(outcome: Outcome): void {
    this.end(outcome);
    if (this.#hasStarted) this.#carrier?.closeSocket();
  }

  #settle(outcome: Outcome | null): void {
    if (this.#isSettled) return;
    this.#isSettled = true;
    this.#cancelDeadline();
    const address = this.#carrier?.progress?.address ?? null;
    const result = outcome === null ? null : { outcome, timings: this.#timings(), address };
    // The client frees the socket in this tick. The lane hears of it after that, so its next request finds it free.
    queueMicrotask(() => this.#options.onSettled(result));
  }

  #phase(): AttemptPhase {
    if (this.#status !== 0) return "body";
    if (this.#hasStarted) return "headers";
    return this.#carrier?.progress?.phase === "dns" ? "dns" : "connect";
  }

  #response(bodyCut: boolean, oddity: string | null): Outcome {
    const response = { status: this.#status, headers: this.#headers, body: this.#body.bytes(), bodyCut };
    return oddity === null ? { kind: "response", response } : { kind: "response", response, message: oddity };
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

/**
 * The first bytes of an answer's body, which the log keeps. They lie in one buffer however many pieces come: a receiver
 * may send a byte at a time, and an object for each would take two hundred times the memory.
 */
export class AnswerStart {
  readonly #bytesMax: number;
  #buffer = new Uint8Array(0);
  #bytes = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  /** Copies as much as fits. Returns false when that is not all. */
  take(data: Uint8Array): boolean {
    const bytes = Math.min(this.#bytes + data.length, this.#bytesMax);
    if (bytes > this.#buffer.length) this.#grow(bytes);
    this.#buffer.set(data.subarray(0, bytes - this.#bytes), this.#bytes);
    const isAll = bytes - this.#bytes === data.length;
    this.#bytes = bytes;
    return isAll;
  }

  /** All that was taken, in no more memory than that. */
  bytes(): Uint8Array {
    return this.#buffer.length === this.#bytes ? this.#buffer : this.#buffer.slice(0, this.#bytes);
  }

  /** The first piece is most often the whole body, and gets its own size. */
  #grow(bytes: number): void {
    const grown = new Uint8Array(Math.min(Math.max(bytes, 2 * this.#buffer.length), this.#bytesMax));
    grown.set(this.#buffer.subarray(0, this.#bytes));
    this.#buffer = grown;
  }
}

/** Messages for people who read the log of their receiver. `lib/fault-words.ts` has all others. */
const WORDS: Readonly<Record<string, string>> = {
  ECONNRESET: "The receiver reset the connection before its answer was complete.",
  EPIPE: "The receiver closed the connection before it had read the request.",
};

/** Every error of the answer's parser, of TLS and of the system becomes an outcome here. */
export function classifyFailure(error: Error): Outcome {
  if (error instanceof AnswerFault) return { kind: "network_error", code: error.code, message: error.message };
  const code = readFaultCode(error);
  // Faults of ours: a request that no receiver should get, or one that came after the sender was closed.
  if (code === NO_CODE || code === "ERR_ASSERTION") return { kind: "internal_error", message: error.message };
  const message = WORDS[code] ?? alertWords(code) ?? (OURS.test(code) ? error.message : errorWords(error));
  return { kind: isTls(code) ? "tls_error" : "network_error", code, message };
}

/** Our own limits, whose errors have whole sentences. */
const OURS = /^ERR_TLS_(?:RENEGOTIATION|COSTLY)$/;

/** A TLS 1.3 receiver refuses a client only after the handshake, when the request is already in flight. */
const isTls = (code: string): boolean => /^(ERR_SSL_|ERR_TLS_|EPROTO$)/.test(code);

const AFTER_CERTIFICATE: FailureCode = "CLOSED_AFTER_CERTIFICATE";

const CLOSINGS: ReadonlySet<string> = new Set(["ECONNRESET", "EPIPE", "ANSWER_INCOMPLETE"]);

/**
 * Many receivers refuse a client certificate by closing the connection: over TLS 1.3 right after a handshake that
 * looked complete. The result then names the suspicion; it stays a failure of its kind. For a request whose socket
 * presented a certificate; a receiver that answered on that socket before has accepted it.
 */
export function suspectCertificate(result: SendResult): SendResult {
  const { outcome, timings } = result;
  if (outcome.kind !== "tls_error" && outcome.kind !== "network_error") return result;
  // TCP is refused and reset without any certificate; only a socket that this request opened tells something.
  const wasOpened = timings.tlsMs !== null || (outcome.kind === "tls_error" && timings.connectMs !== null);
  if (!wasOpened || timings.firstByteMs !== null || !CLOSINGS.has(outcome.code)) return result;
  const code = AFTER_CERTIFICATE;
  return { ...result, outcome: { kind: outcome.kind, code, message: FAILURE_CODES[code] } };
}
