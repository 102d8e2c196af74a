/**
 * Numbers of events by 16 bytes: a hash table in two typed arrays. A map of V8 would look each new text up among all
 * that it knows, and leave every one to the collection of garbage.
 *
 *     slot  0          1          2 …
 *     words aaaa aaaa  ---- ----  bbbb bbbb   four numbers of 32 bits each
 *     seqs  17         0, free    18
 */
import { systemRandom } from "../../../lib/random.ts";

const WORDS = 4;
const KEY_BYTES = 16;
const SLOTS_MIN = 64;
/** In a number's place where there was one; a search goes on behind it. */
const REMOVED = -1;
const FREE = 0;

/** Odd, and without a pattern: no id's own pattern should make many share a slot. */
const MIX = 0x9e3779b1;
/** Another one in each process, so that ids cannot be chosen to share a slot. */
const SEED = new DataView(systemRandom.bytes(4).buffer).getInt32(0);

export class KeyTable {
  #words = new Int32Array(SLOTS_MIN * WORDS);
  #seqs = new Float64Array(SLOTS_MIN);
  /** Also of those that are removed. */
  #used = 0;
  readonly #asked = new Int32Array(WORDS);

  find(key: Uint8Array): number | null {
    const seq = this.#seqs[this.#slotOf(this.#read(key), 0)] ?? FREE;
    return seq > 0 ? seq : null;
  }

  /** `seq` is above 0. */
  set(key: Uint8Array, seq: number): void {
    this.#put(this.#read(key), 0, seq);
    // Half of all stay free, so that a search ends soon.
    if (this.#used * 2 > this.#seqs.length) this.#grow();
  }

  remove(key: Uint8Array): void {
    const slot = this.#slotOf(this.#read(key), 0);
    if (this.#seqs[slot] !== FREE) this.#seqs[slot] = REMOVED;
  }

  /** Those with a key, in no order. */
  listSlots(): Uint32Array {
    const slots = new Uint32Array(this.#used);
    let count = 0;
    for (let slot = 0; slot < this.#seqs.length; slot += 1) {
      if ((this.#seqs[slot] ?? FREE) > 0) slots[count++] = slot;
    }
    return slots.subarray(0, count);
  }

  isBefore(one: number, other: number): boolean {
    const words = this.#words;
    for (let place = 0, a = one * WORDS, b = other * WORDS; place < WORDS; place += 1, a += 1, b += 1) {
      const [word, otherWord] = [words[a] ?? 0, words[b] ?? 0];
      if (word !== otherWord) return word >>> 0 < otherWord >>> 0;
    }
    return false;
  }

  seqIn(slot: number): number {
    return this.#seqs[slot] ?? FREE;
  }

  keyIn(slot: number): Uint8Array {
    const key = Buffer.allocUnsafe(KEY_BYTES);
    for (let place = 0; place < WORDS; place += 1) key.writeInt32BE(this.#words[slot * WORDS + place] ?? 0, place * 4);
    return key;
  }

  /** Good until the next key is read. */
  #read(key: Uint8Array): Int32Array {
    const words = this.#asked;
    for (let place = 0, at = 0; place < WORDS; place += 1, at += 4) {
      words[place] =
        ((key[at] ?? 0) << 24) | ((key[at + 1] ?? 0) << 16) | ((key[at + 2] ?? 0) << 8) | (key[at + 3] ?? 0);
    }
    return words;
  }

  /** The key is in `from`, from `at` on. */
  #put(from: Int32Array, at: number, seq: number): void {
    const slot = this.#slotOf(from, at);
    if (this.#seqs[slot] === FREE) this.#used += 1;
    for (let place = 0; place < WORDS; place += 1) this.#words[slot * WORDS + place] = from[at + place] ?? 0;
    this.#seqs[slot] = seq;
  }

  /** The key's, or the one that it would have. */
  #slotOf(from: Int32Array, at: number): number {
    const [seqs, last] = [this.#seqs, this.#seqs.length - 1];
    let slot = mix(from, at) & last;
    while (seqs[slot] !== FREE && !this.#isIn(slot, from, at)) slot = (slot + 1) & last;
    return slot;
  }

  #isIn(slot: number, from: Int32Array, at: number): boolean {
    const [words, place] = [this.#words, slot * WORDS];
    return (
      words[place] === from[at] &&
      words[place + 1] === from[at + 1] &&
      words[place + 2] === from[at + 2] &&
      words[place + 3] === from[at + 3]
    );
  }

  /** A commit waits meanwhile, so nothing is made for each key. */
  #grow(): void {
    const [words, seqs] = [this.#words, this.#seqs];
    this.#words = new Int32Array(words.length * 2);
    this.#seqs = new Float64Array(seqs.length * 2);
    this.#used = 0;
    for (let slot = 0; slot < seqs.length; slot += 1) {
      const seq = seqs[slot] ?? FREE;
      if (seq > 0) this.#put(words, slot * WORDS, seq);
    }
  }
}

function mix(from: Int32Array, at: number): number {
  let hash = SEED;
  for (let place = 0; place < WORDS; place += 1) {
    hash = Math.imul(hash ^ (hash >>> 15) ^ (from[at + place] ?? 0), MIX);
  }
  return hash ^ (hash >>> 15);
}
