/**
 * The beginning of an answer's body, which the log keeps. It lies in one piece of memory however many pieces it comes
 * in: a receiver may send a byte at a time, and an object for each would be two hundred times what is kept.
 */
const NOTHING = new Uint8Array();

export class AnswerStart {
  readonly #bytesMax: number;
  #room: Uint8Array = NOTHING;
  #bytes = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  /** Copies what there is room for. Returns false when that is not all. */
  take(data: Uint8Array): boolean {
    const bytes = Math.min(this.#bytes + data.length, this.#bytesMax);
    if (bytes > this.#room.length) this.#grow(bytes);
    this.#room.set(data.subarray(0, bytes - this.#bytes), this.#bytes);
    const isAll = bytes - this.#bytes === data.length;
    this.#bytes = bytes;
    return isAll;
  }

  /** All that was taken, in no more memory than that. */
  bytes(): Uint8Array {
    return this.#room.length === this.#bytes ? this.#room : this.#room.slice(0, this.#bytes);
  }

  /** The first piece is most often the whole body, and gets its own size. */
  #grow(bytes: number): void {
    const grown = new Uint8Array(Math.min(Math.max(bytes, 2 * this.#room.length), this.#bytesMax));
    grown.set(this.#room.subarray(0, this.#bytes));
    this.#room = grown;
  }
}
