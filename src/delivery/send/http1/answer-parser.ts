/**
 * Takes the bytes of one connection apart into answers, one for each request:
 *
 *     begin ──► head ──1xx──► head …
 *                └──► body ──► complete ──► begin …
 *
 * Invariants: an answer ends exactly where its head says; bytes behind it are none of the next answer's, and keep the
 * connection from being used again.
 */
import { minutesMs, secondsMs } from "../../../lib/duration.ts";
import { AnswerFault, notHttp, switched, type AnswerHead, readHead } from "./read-head.ts";
import { ChunkedBody } from "./chunked-body.ts";

export interface AnswerSink {
  /** `bytes` is the length of its head. */
  onInterim(bytes: number): void;
  onHead(status: number, headers: Readonly<Record<string, string>>): void;
  /** `data` is a view that may be written over later. */
  onBody(data: Uint8Array): void;
}

/** Enough for what honest receivers send; Node's own servers and clients have the same. */
const HEAD_BYTES_MAX = 16 * 1024;

/** Many servers close idle sockets after 5 s without saying so; a request that crosses the closing is lost. */
export const KEPT_MS = secondsMs(4);
/**
 * A receiver that says `Keep-Alive: timeout=N` is believed up to here, less the way there and back. Guess: machines on
 * the way forget connections after some minutes, and say nothing either.
 */
const KEPT_MS_MAX = minutesMs(1);
const ROUND_TRIP_MS = secondsMs(2);

const CR = 0x0d;
const LF = 0x0a;
const SPACE = 0x20;
const TAB = 0x09;
/** Windows makes CR CR LF of CR LF where a server writes it as text. */
const CRS_MAX = 2;
const HEAD_END_BYTES = 4;
/** Each answer in flight may take so much: 16 MiB where 1,024 are. */
const HELD_BYTES_MAX = HEAD_BYTES_MAX + HEAD_END_BYTES;
const NOTHING = Buffer.alloc(0);

export class AnswerParser {
  #sink: AnswerSink | null = null;
  /** The beginning of a head whose end has not come, at the front of the buffer. */
  #held = NOTHING;
  #heldBytes = 0;
  #head: AnswerHead | null = null;
  /** Bytes that a body with a length still lacks. */
  #left = 0;
  #chunks: ChunkedBody | null = null;
  #isFollowed = false;
  /** The same for an interim answer before it. */
  #oddityBefore: string | null = null;

  /** The next bytes answer a request of `sink`. */
  begin(sink: AnswerSink): void {
    this.#sink = sink;
    this.#letGo();
    this.#head = null;
    this.#chunks = null;
    this.#oddityBefore = null;
  }

  /** Returns true when the answer is complete. Throws `AnswerFault`. */
  take(chunk: Buffer): boolean {
    const sink = this.#sink;
    if (sink === null) throw notHttp("");
    let bytes = chunk;
    let at = 0;
    if (this.#head === null) {
      const seen = this.#heldBytes;
      if (seen > 0) bytes = this.#hold(chunk);
      at = this.#takeHeads(bytes, seen, sink);
      if (this.#head === null) return false;
      this.#letGo();
    }
    at = this.#takeBody(this.#head, { bytes, at, sink });
    if (!this.#isComplete(this.#head)) return false;
    this.#sink = null;
    this.#isFollowed = at < bytes.length;
    return true;
  }

  /** The receiver has closed. Returns whether that is the answer's end. */
  endsByClosing(): boolean {
    return this.#head?.body?.kind === "close";
  }

  /**
   * The receiver has closed, or will not be read any more: tells what is known of an answer that ends within its head.
   */
  endHead(): void {
    if (this.#sink !== null && this.#head === null) this.#readCut(this.#held.subarray(0, this.#heldBytes), this.#sink);
  }

  /** Says how the form of the complete answer is odd; `null` for an ordinary one. */
  oddity(): string | null {
    const oddity = this.#oddityBefore ?? this.#head?.oddity ?? null;
    if (oddity !== null) return oddWords(oddity);
    return this.#chunks?.isOdd === true ? oddWords("its chunks are not written as HTTP/1.1 wants them") : null;
  }

  /** For how long the connection may wait for another request after this answer; 0 when it takes none. */
  keptMs(): number {
    if (this.#head === null || !this.#head.isKept || this.#isFollowed || this.oddity() !== null) return 0;
    const said = /(?:^|[ \t,])timeout\s*=\s*"?(\d{1,9})/i.exec(this.#head.headers["keep-alive"] ?? "")?.[1];
    return said === undefined ? KEPT_MS : Math.max(0, Math.min(secondsMs(Number(said)) - ROUND_TRIP_MS, KEPT_MS_MAX));
  }

  /** A connection may be idle for a minute, and an answer's headers may take 36 KB (measured). */
  forget(): void {
    this.#head = null;
  }

  /**
   * Interim answers come before the real one. The first `seen` bytes have been looked at: a head that drips would cost
   * its length for each byte. Returns where the last head ends.
   */
  #takeHeads(bytes: Buffer, seen: number, sink: AnswerSink): number {
    for (let at = 0; ;) {
      at = skipBlanks(bytes, at);
      // At once, and before more is read: not only when it has sent as much as a head may have.
      if (!isHttpSoFar(bytes, at)) throw notHttp(firstLine(bytes.subarray(at)));
      const end = findHeadEnd(bytes, Math.max(at, seen - CRS_MAX - 1));
      if ((end === -1 ? bytes.length : end) - at > HELD_BYTES_MAX) {
        this.#readCut(bytes.subarray(at, at + HEAD_BYTES_MAX), sink);
        throw new AnswerFault("ANSWER_HEADERS_TOO_LARGE");
      }
      if (end === -1) {
        const begun = bytes.subarray(at);
        // Likewise a first line that shows no status.
        const lineEnd = begun.indexOf(LF);
        if (lineEnd !== -1 && at + lineEnd >= seen) readHead(firstLine(begun));
        // Interim answers may have made it longer.
        if (this.#held.length > HELD_BYTES_MAX) this.#letGo();
        this.#heldBytes = 0;
        this.#hold(begun);
        return bytes.length;
      }
      const head = readHead(bytes.toString("latin1", at, end));
      const headBytes = end - at;
      at = end;
      // Another protocol was not asked for.
      if (head.status === 101) throw switched();
      if (head.status >= 200) return this.#open(head, sink, at);
      this.#oddityBefore ??= head.oddity;
      sink.onInterim(headBytes);
    }
  }

  /** The status counts when its line is whole, or too long. */
  #readCut(bytes: Buffer, sink: AnswerSink): void {
    const lineEnd = bytes.lastIndexOf(LF) + 1;
    if (lineEnd === 0 && bytes.length < HEAD_BYTES_MAX) return;
    const { status, headers } = readHead(bytes.toString("latin1", 0, lineEnd === 0 ? bytes.length : lineEnd));
    if (status >= 200) sink.onHead(status, headers);
  }

  #open(head: AnswerHead, sink: AnswerSink, at: number): number {
    this.#head = head;
    sink.onHead(head.status, head.headers);
    if (head.body === null) throw new AnswerFault("ANSWER_NOT_HTTP", oddWords(head.oddity));
    this.#left = head.body.kind === "length" ? head.body.bytes : 0;
    this.#chunks = head.body.kind === "chunks" ? new ChunkedBody() : null;
    return at;
  }

  /**
   * Copies the chunk, a view of a buffer of 64 KiB, behind what is held, and returns all of it. A buffer for each piece
   * of a head that drips would be 4 MB a head.
   */
  #hold(chunk: Buffer): Buffer {
    const bytes = this.#heldBytes + chunk.length;
    if (bytes > this.#held.length) {
      const held = Buffer.allocUnsafeSlow(Math.max(bytes, Math.min(2 * this.#held.length, HELD_BYTES_MAX)));
      this.#held.copy(held, 0, 0, this.#heldBytes);
      this.#held = held;
    }
    chunk.copy(this.#held, this.#heldBytes);
    this.#heldBytes = bytes;
    return this.#held.subarray(0, bytes);
  }

  #letGo(): void {
    this.#held = NOTHING;
    this.#heldBytes = 0;
  }

  /** Returns where the body, or the part of it that has come, ends. */
  #takeBody({ body }: AnswerHead, { bytes, at, sink }: BodyPart): number {
    if (this.#chunks !== null) return this.#chunks.take(bytes, at, (data) => sink.onBody(data));
    const end = body?.kind === "close" ? bytes.length : Math.min(bytes.length, at + this.#left);
    if (end > at) sink.onBody(bytes.subarray(at, end));
    this.#left -= end - at;
    return end;
  }

  #isComplete({ body }: AnswerHead): boolean {
    if (this.#chunks !== null) return this.#chunks.isDone;
    return body?.kind === "length" && this.#left === 0;
  }
}

const oddWords = (oddity: string | null): string => `The form of the answer is odd: ${oddity ?? ""}.`;

interface BodyPart {
  readonly bytes: Buffer;
  readonly at: number;
  readonly sink: AnswerSink;
}

const PROTOCOL = "HTTP";

const isHttpSoFar = (bytes: Buffer, at: number): boolean =>
  PROTOCOL.startsWith(bytes.toString("latin1", at, at + PROTOCOL.length).toUpperCase());

/** Empty lines before an answer: some servers send one too many behind a body. */
function skipBlanks(bytes: Buffer, from: number): number {
  let at = from;
  while (bytes[at] === CR || bytes[at] === LF || bytes[at] === SPACE || bytes[at] === TAB) at += 1;
  return at;
}

/** Returns where the first empty line from there on ends, or -1. */
function findHeadEnd(bytes: Buffer, from: number): number {
  for (let at = bytes.indexOf(LF, from); at !== -1; at = bytes.indexOf(LF, at + 1)) {
    let next = at + 1;
    while (bytes[next] === CR && next - at <= CRS_MAX) next += 1;
    if (bytes[next] === LF) return next + 1;
  }
  return -1;
}

function firstLine(bytes: Buffer): string {
  const end = bytes.indexOf(LF);
  return bytes.toString("latin1", 0, end === -1 ? bytes.length : end + 1);
}
