/**
 * A body in chunks (RFC 9112 §7.1), byte by byte where it is not data:
 *
 *     size ──";"──► extension ──LF──► data ──► data's end ──LF──► size …
 *       └────────────LF────────────────▲
 *     size 0 ──LF──► trailer lines ──empty line──► done
 *
 * Extensions and trailers are skipped. White space behind a size, and LF alone as a line's end, are read and noted.
 * Invariant: never reads beyond the body's last byte.
 */
import { AnswerFault, brokenBody } from "./read-head.ts";

const CR = 0x0d;
const LF = 0x0a;
const SEMICOLON = 0x3b;
const SPACE = 0x20;
const TAB = 0x09;

/** The value of each byte as a hexadecimal digit: a size may have a million zeros before it. */
const DIGITS = Array.from({ length: 256 }, (_, byte) => Number.parseInt(String.fromCharCode(byte), 16));

/** With one digit more it is 2^52 bytes, which a number of JavaScript counts exactly. */
const SIZE_MAX = 2 ** 48;
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
  #isOdd = false;

  get isDone(): boolean {
    return this.#state === "done";
  }

  /** Something about their form was not as it should be. */
  get isOdd(): boolean {
    return this.#isOdd;
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
      if (byte !== LF) throw brokenBody();
      this.#sawCr = false;
      return this.#endLine();
    }
    if (byte === CR) {
      this.#sawCr = true;
      return;
    }
    if (byte === LF) {
      this.#isOdd = true;
      return this.#endLine();
    }
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
        throw brokenBody();
    }
  }

  #takeDigit(byte: number): void {
    if (byte === SEMICOLON && this.#digits > 0) {
      this.#state = "extension";
      return;
    }
    if ((byte === SPACE || byte === TAB) && this.#digits > 0) {
      // Some old servers fill the size up to a fixed width.
      this.#isOdd = true;
      this.#state = "extension";
      return;
    }
    const digit = DIGITS[byte] ?? Number.NaN;
    this.#digits += 1;
    if (Number.isNaN(digit) || this.#left >= SIZE_MAX) throw brokenBody();
    this.#left = this.#left * 16 + digit;
  }

  #countTrailer(): void {
    this.#isLineEmpty = false;
    this.#trailerBytes += 1;
    if (this.#trailerBytes > TRAILER_BYTES_MAX) throw new AnswerFault("ANSWER_HEADERS_TOO_LARGE");
  }

  #endLine(): void {
    switch (this.#state) {
      case "size":
      case "extension":
        if (this.#digits === 0) throw brokenBody();
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
        throw brokenBody();
    }
  }
}
