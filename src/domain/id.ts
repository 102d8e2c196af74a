/**
 * Identifiers: a prefix that names the kind, then 26 characters that sort by creation time.
 *
 * They are ordered by time because they are keys of tables: random text keys made the same inserts five times slower on
 * SQLite (75 µs against 15 µs a delivery), since every insert then touches another page.
 */
import { minutesMs } from "../lib/duration.ts";
import type { Random } from "../lib/random.ts";

/** Crockford's base 32: no i, l, o, u, so that an id read over the telephone survives. */
const ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";

/** The code of the character of each 5 bits. */
const CODES = Array.from(ALPHABET, (character) => character.charCodeAt(0));

/** A prefix has three characters, behind it stands a line. */
const TIME_AT = 4;
/** 10 characters hold 50 bits: enough for milliseconds until the year 10889. */
const TIME_CHARS = 10;
const RANDOM_AT = TIME_AT + TIME_CHARS;
/** 5 of them are 8 characters. */
const RANDOM_BYTES = 10;

/**
 * The codes of the id that is being made. An id that is made of all of them at once is one piece in memory. One that
 * `+` has put together is six, which the collector of garbage copies and every user of the id reads one by one: the
 * message to the store's thread, the request's head, the line in the log.
 */
const codes = Array.from("xxx_".padEnd(RANDOM_AT + (RANDOM_BYTES / 5) * 8, "0"), (character) =>
  character.charCodeAt(0),
);
/** The instant whose characters stand in `codes`: a busy node makes many ids in a millisecond. */
let writtenMs = 0;

export type IdPrefix =
  | "evt"
  | "dlv"
  | "dst"
  | "alr"
  | "whk"
  | "rpl"
  | "ses"
  | "adr"
  | "ltr"
  | "inc"
  | "chn"
  | "ntc"
  | "rdk";

/**
 * A new id such as `evt_06f1x9s3k0…`: 48 bits of `nowMs`, then 80 random bits. It is unique without a question to
 * others, so that intake's answer can name it before other nodes know of it.
 */
export const newId = (prefix: IdPrefix, nowMs: number, random: Random): string =>
  toId(prefix, nowMs, random.bytes(RANDOM_BYTES));

/** An event's place in its node's order of acceptance. */
export interface Place {
  readonly atMs: number;
  /** Among those of its millisecond: 16 bits. */
  readonly number: number;
}

/** The same with the place in front of 64 random bits. */
export function newIdAt(prefix: IdPrefix, { atMs, number }: Place, random: Random): string {
  const bytes = random.bytes(RANDOM_BYTES);
  bytes[0] = number >> 8;
  bytes[1] = number;
  return toId(prefix, atMs, bytes);
}

const NUMBER_MAX = 0xffff;

/**
 * When a clock is set back by more than this, places follow it, and the order begins anew: tables of days look for a
 * row within an hour of its id (`SLACK_MS` in `store/postgres/days.ts`).
 */
const SET_BACK_MS_MAX = minutesMs(30);

/**
 * The place behind `last`, also in one millisecond and when the clock was set back (RFC 9562 §6.2, method 1). A number
 * that has run over takes the next millisecond.
 */
export function placeAfter(last: Place, nowMs: number): Place {
  const { atMs, number } = last;
  if (nowMs > atMs || nowMs < atMs - SET_BACK_MS_MAX) return { atMs: nowMs, number: 0 };
  return number < NUMBER_MAX ? { atMs, number: number + 1 } : { atMs: atMs + 1, number: 0 };
}

function toId(prefix: IdPrefix, atMs: number, bytes: Uint8Array): string {
  writeStart(prefix, atMs);
  writeFive(bytes, 0, RANDOM_AT);
  writeFive(bytes, 5, RANDOM_AT + 8);
  return String.fromCharCode(...codes);
}

/**
 * The common beginning of ids made at `nowMs`: no id made earlier sorts behind it, and none made then or later sorts
 * before it.
 */
export function firstIdAt(prefix: IdPrefix, nowMs: number): string {
  writeStart(prefix, nowMs);
  return String.fromCharCode(...codes.slice(0, RANDOM_AT));
}

/** The instant at which an id of ours was made; `null` when `text` is not such an id. */
export function readInstant(text: string): number | null {
  const time = /^[a-z]{3}_([0-9a-hjkmnp-tv-z]{10})[0-9a-hjkmnp-tv-z]{16}$/.exec(text)?.[1];
  if (time === undefined) return null;
  return Array.from(time).reduce((sum, digit) => sum * 32 + ALPHABET.indexOf(digit), 0);
}

function writeStart(prefix: IdPrefix, nowMs: number): void {
  for (let at = 0; at < prefix.length; at += 1) codes[at] = prefix.charCodeAt(at);
  if (nowMs === writtenMs) return;
  writtenMs = nowMs;
  let rest = nowMs;
  for (let at = RANDOM_AT - 1; at >= TIME_AT; at -= 1) {
    codes[at] = codeOf(rest % 32);
    rest = Math.floor(rest / 32);
  }
}

/** 5 bytes as 8 characters: 20 bits and 20 bits. */
function writeFive(bytes: Uint8Array, from: number, to: number): void {
  const byte = (place: number): number => bytes[from + place] ?? 0;
  const high = (byte(0) << 12) | (byte(1) << 4) | (byte(2) >> 4);
  const low = ((byte(2) & 15) << 16) | (byte(3) << 8) | byte(4);
  for (let at = 0; at < 4; at += 1) {
    const shift = 15 - 5 * at;
    codes[to + at] = codeOf(high >> shift);
    codes[to + 4 + at] = codeOf(low >> shift);
  }
}

const codeOf = (bits: number): number => CODES[bits & 31] ?? 0;
