/**
 * What crosses between threads, laid flat: the texts in two long ones, every number and every text's length in one
 * array, every byte in another. A structured clone of objects looks at each of their values, on both sides; of a tape
 * it copies four blocks.
 *
 * Invariant: a reader takes what the writer put, in the same order and by the same names (`text` by `text`). The tape
 * says of a column what it is, and of nothing else.
 */
import { assert } from "../../../../lib/assert.ts";

/** One value of a row, as the database takes it. */
export type Column = string | number | null | Uint8Array;

export interface Tape {
  readonly ids: string;
  readonly texts: string;
  readonly large: readonly string[];
  readonly numbers: ArrayLike<number>;
  /** `null` for none. */
  readonly bytes: Uint8Array | null;
}

/**
 * Texts from this length on are kept apart. V8 makes a part of a text by pointing into the whole, so that an id which
 * the reader keeps would hold a batch's bodies with it.
 */
const LONG_CHARS = 128;

/** Each of these crosses by itself: a thousand bodies of a megabyte would be more than one text of V8 can hold. */
const LARGE_CHARS = 64 * 1024;

/**
 * From this number of numbers on they cross as a typed array. A block like that costs both threads some 6 µs whatever
 * is in it, and then 0.8 µs less a webhook than a list (measured with one webhook and with 50).
 */
const BLOCK_NUMBERS = 256;

/** In a shared text's place, the first of those that crossed before; the second is one less. */
const SHARED = -1;

/** In a text's place, where lengths stand: no length is negative. */
const NULL = -1;
const NUMBER = -2;
/** Bytes have their length behind it. */
const BYTES = -3;

export class TapeWriter {
  readonly #ids: string[] = [];
  readonly #texts: string[] = [];
  readonly #large: string[] = [];
  readonly #numbers: number[] = [];
  readonly #bytes: Uint8Array[] = [];
  readonly #shared = new Map<string, number>();
  #byteCount = 0;

  number(value: number): void {
    this.#numbers.push(value);
  }

  flag(value: boolean): void {
    this.#numbers.push(value ? 1 : 0);
  }

  text(value: string): void {
    // Anything else has no length, and the other side would read the rest of the tape wrongly.
    assert(typeof value === "string", "a value that is no text was put on a tape as one");
    const { length } = value;
    this.#numbers.push(length);
    const place = length < LONG_CHARS ? this.#ids : length < LARGE_CHARS ? this.#texts : this.#large;
    place.push(value);
  }

  textOrNull(value: string | null): void {
    if (value === null) this.#numbers.push(NULL);
    else this.text(value);
  }

  /**
   * A text that many calls of a batch have, such as an account's id. It crosses once, and all that read it share one
   * string: V8 looks each new one up among all that it knows before a map can use it as a key.
   */
  shared(value: string): void {
    const known = this.#shared.get(value);
    if (known !== undefined) return void this.#numbers.push(SHARED - known);
    this.#shared.set(value, this.#shared.size);
    this.text(value);
  }

  numberOrNull(value: number | null): void {
    this.column(value);
  }

  column(value: Column): void {
    if (value === null) this.#numbers.push(NULL);
    else if (typeof value === "string") this.text(value);
    else if (typeof value === "number") this.#numbers.push(NUMBER, value);
    else this.#putBytes(value);
  }

  /** One of a closed set of this code's own words, as its place in the set's list. */
  word<Word extends string>(words: readonly Word[], value: Word): void {
    this.#numbers.push(words.indexOf(value));
  }

  /** How many, then each. */
  list<Item>(items: readonly Item[], put: (tape: TapeWriter, item: Item) => void): void {
    this.#numbers.push(items.length);
    for (const item of items) put(this, item);
  }

  end(): Tape {
    const numbers = this.#numbers.length < BLOCK_NUMBERS ? this.#numbers : new Float64Array(this.#numbers);
    const [ids, texts] = [this.#ids.join(""), this.#texts.join("")];
    return { ids, texts, large: this.#large, numbers, bytes: this.#joinBytes() };
  }

  #joinBytes(): Uint8Array | null {
    if (this.#byteCount === 0) return null;
    const joined = new Uint8Array(this.#byteCount);
    let at = 0;
    for (const part of this.#bytes) {
      joined.set(part, at);
      at += part.length;
    }
    return joined;
  }

  #putBytes(value: Uint8Array): void {
    this.#numbers.push(BYTES, value.length);
    if (value.length > 0) this.#bytes.push(value);
    this.#byteCount += value.length;
  }
}

export class TapeReader {
  readonly #tape: Tape;
  readonly #shared: string[] = [];
  #idsAt = 0;
  #textsAt = 0;
  #largeAt = 0;
  #numbersAt = 0;
  #bytesAt = 0;

  constructor(tape: Tape) {
    this.#tape = tape;
  }

  number(): number {
    const value = this.#tape.numbers[this.#numbersAt];
    assert(value !== undefined, "a reader took more from a tape than was put on it");
    this.#numbersAt += 1;
    return value;
  }

  flag(): boolean {
    return this.number() === 1;
  }

  /** `Text` is what the writer's types let through; a word that is none is for the database to refuse. */
  text<Text extends string = string>(): Text {
    return this.#takeText(this.number()) as Text;
  }

  textOrNull<Text extends string = string>(): Text | null {
    const length = this.number();
    return length === NULL ? null : (this.#takeText(length) as Text);
  }

  shared<Text extends string = string>(): Text {
    const length = this.number();
    if (length >= 0) this.#shared.push(this.#takeText(length));
    const text = length >= 0 ? this.#shared.at(-1) : this.#shared[SHARED - length];
    assert(text !== undefined, "a tape names a shared text that is not on it");
    return text as Text;
  }

  numberOrNull(): number | null {
    return this.number() === NULL ? null : this.number();
  }

  column(): Column {
    const length = this.number();
    switch (length) {
      case NULL:
        return null;
      case NUMBER:
        return this.number();
      case BYTES:
        return this.#takeBytes(this.number());
      default:
        return this.#takeText(length);
    }
  }

  word<Word extends string>(words: readonly Word[]): Word {
    const word = words[this.number()];
    assert(word !== undefined, "a word on a tape is none of its set");
    return word;
  }

  list<Item>(take: (tape: TapeReader) => Item): Item[] {
    const items: Item[] = [];
    for (let left = this.number(); left > 0; left -= 1) items.push(take(this));
    return items;
  }

  #takeText(length: number): string {
    if (length < LONG_CHARS) {
      const from = this.#idsAt;
      this.#idsAt += length;
      return this.#tape.ids.slice(from, this.#idsAt);
    }
    if (length < LARGE_CHARS) {
      const from = this.#textsAt;
      this.#textsAt += length;
      return this.#tape.texts.slice(from, this.#textsAt);
    }
    const large = this.#tape.large[this.#largeAt];
    assert(large !== undefined, "a reader took more texts from a tape than were put on it");
    this.#largeAt += 1;
    return large;
  }

  #takeBytes(length: number): Uint8Array {
    const from = this.#bytesAt;
    this.#bytesAt += length;
    return this.#tape.bytes?.subarray(from, this.#bytesAt) ?? new Uint8Array();
  }
}
