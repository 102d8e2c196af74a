/**
 * A body in chunks (RFC 9112 §7.1), byte by byte where it is not data:
 *
 *     size ──";"──► extension ──LF──► data ──► data's end ──LF──► size …
 *       └────────────LF────────────────▲
 *     size 0 ──LF──► trailer lines ──empty line──► done
 *
 * Extensions and trailers are skipped. Invariant: never reads beyond the body's last byte.
 */
import { AnswerFault, notHttp } from "./answer-fault.ts";

const CR = 0x0d;
const LF = 0x0a;
const SEMICOLON = 0x3b;

/** 2^52 bytes: what a number of JavaScript counts exactly. */
const SIZE_DIGITS_MAX = 13;
const TRAILER_BYTES_MAX = 16 * 1024;

type State = "size" | "extension" | "data" | "data_end" | "trailer" | "done";

export class ChunkedBody {
  #state: State = "size";
  #digits = 0;
  /** The chunk's size while it is read, then its bytes that are still to come. */
  #left = 0;
  #sawCr = false;
  #trailerBytes = 0;
  #isLineEmpty = true;

  get isDone(): boolean {
    return this.#state === "done";
  }

  /** Takes what belongs to the body from `at` on, and returns where that ends. Throws `AnswerFault`. */
  take(bytes: Buffer, from: number, onData: (data: Uint8Array) => void): number {
    let at = from;
    while (at < bytes.length && this.#state !== "done") {
      if (this.#state === "data") {
        const end = Math.min(bytes.length, at + this.#left);
        onData(bytes.subarray(at, end));
        this.#left -= end - at;
        at = end;
        if (this.#left === 0) this.#state = "data_end";
      } else {
        this.#takeByte(bytes[at] ?? 0);
        at += 1;
      }
    }
    return at;
  }

  #takeByte(byte: number): void {
    if (this.#sawCr) {
      if (byte !== LF) throw notHttp();
      this.#sawCr = false;
      return this.#endLine();
    }
    if (byte === CR) {
      this.#sawCr = true;
      return;
    }
    if (byte === LF) throw notHttp();
    switch (this.#state) {
      case "size":
        return this.#takeDigit(byte);
      case "trailer":
        return this.#countTrailer();
      case "extension":
        return;
      case "data":
      case "data_end":
      case "done":
        // Behind a chunk's data comes its line end and nothing else.
        throw notHttp();
    }
  }

  #takeDigit(byte: number): void {
    if (byte === SEMICOLON && this.#digits > 0) {
      this.#state = "extension";
      return;
    }
    const digit = Number.parseInt(String.fromCharCode(byte), 16);
    this.#digits += 1;
    if (Number.isNaN(digit) || this.#digits > SIZE_DIGITS_MAX) throw notHttp();
    this.#left = this.#left * 16 + digit;
  }

  #countTrailer(): void {
    this.#isLineEmpty = false;
    this.#trailerBytes += 1;
    if (this.#trailerBytes > TRAILER_BYTES_MAX) throw new AnswerFault("UND_ERR_HEADERS_OVERFLOW");
  }

  #endLine(): void {
    switch (this.#state) {
      case "size":
      case "extension":
        if (this.#digits === 0) throw notHttp();
        this.#state = this.#left === 0 ? "trailer" : "data";
        return;
      case "data_end":
        this.#state = "size";
        this.#digits = 0;
        return;
      case "trailer":
        if (this.#isLineEmpty) this.#state = "done";
        this.#isLineEmpty = true;
        return;
      case "data":
      case "done":
        throw notHttp();
    }
  }
}
