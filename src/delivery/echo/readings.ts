/**
 * The ways in which a text can be read: as it stands, with its escapes undone up to three times, and decoded from
 * base64 and from hex. A secret that comes back in another writing stands plainly in one of them. Each character of a
 * reading knows which part of the original it came from. Pure, and linear in the text, because the receiver chooses it.
 */
export interface Reading {
  /** A character is a byte: Latin-1. */
  readonly text: string;
  /** Where the character at an index begins and ends in the original. */
  readonly start: (index: number) => number;
  readonly end: (index: number) => number;
}

/** JSON in JSON in an address takes three. Only an attacker writes more, and an attacker finds another way anyhow. */
const LEVELS_MAX = 3;

/** `isCut` says that the text goes on, so that a secret at its end may be too short to be found in any other way. */
export function findReadings(text: string, isCut: boolean): readonly Reading[] {
  const levels: Reading[] = [{ text, start: (index) => index, end: (index) => index + 1 }];
  let last = levels[0] as Reading;
  for (let level = 1; level <= LEVELS_MAX; level += 1) {
    const next = unescaped(last);
    if (next === null) break;
    levels.push((last = next));
  }
  return [...levels, ...decodings(last, BASE64, isCut), ...decodings(last, HEX, isCut)];
}

/** The text with its escapes undone once; itself when it has none. */
export function unescapedText(text: string): string {
  return unescaped({ text, start: (index) => index, end: (index) => index + 1 })?.text ?? text;
}

/**
 * JSON and JavaScript (`\u003c`, `\x3c`, `\"`, any of them escaped again), addresses (`%3C`), HTML (`&lt;`, `&#60;`,
 * `&#x3c;`), and Latin-1 as UTF-8. Each repetition has an end, so that a text of backslashes only is read once.
 */
const ESCAPES = new RegExp(
  [
    String.raw`\\{1,8}u([0-9a-fA-F]{4})`,
    String.raw`\\{1,8}x([0-9a-fA-F]{2})`,
    "%([0-9a-fA-F]{2})",
    "&#[xX]([0-9a-fA-F]{1,6});",
    String.raw`&#(\d{1,7});`,
    String.raw`&([a-zA-Z]{2,8}\d{0,2});`,
    String.raw`\\{1,8}(["'/trn])`,
    String.raw`([\xc2\xc3])([\x80-\xbf])`,
    String.raw`\\\\`,
  ].join("|"),
  "g",
);

const NAMED = new Map(Object.entries({ amp: 0x26, lt: 0x3c, gt: 0x3e, quot: 0x22, apos: 0x27, nbsp: 0xa0 }));
const WHITE = new Map(Object.entries({ t: 0x09, r: 0x0d, n: 0x0a }));
const BACKSLASH = 0x5c;

function unescaped(reading: Reading): Reading | null {
  const { text } = reading;
  if (!/[\\%&\xc2\xc3]/.test(text)) return null;
  const read = createWriter(text.length);
  let from = 0;
  for (const match of text.matchAll(ESCAPES)) {
    for (let index = from; index < match.index; index += 1) {
      read.put(text.charCodeAt(index), reading.start(index), reading.end(index));
    }
    from = match.index + match[0].length;
    read.put(readMeaning(match), reading.start(match.index), reading.end(from - 1));
  }
  if (from === 0) return null;
  for (let index = from; index < text.length; index += 1) {
    read.put(text.charCodeAt(index), reading.start(index), reading.end(index));
  }
  return read.done();
}

/** A character outside Latin-1, or an unknown name, was not part of a header: any other character will do. */
function readMeaning(match: RegExpExecArray): number {
  const [, unicode, byte, percent, hex, decimal, name, plain, lead, rest] = match;
  const digits = unicode ?? byte ?? percent ?? hex;
  if (digits !== undefined || decimal !== undefined) {
    const code = digits === undefined ? Number(decimal) : Number.parseInt(digits, 16);
    return code <= 0xff ? code : 0;
  }
  if (name !== undefined) return NAMED.get(name) ?? 0;
  if (plain !== undefined) return WHITE.get(plain) ?? plain.charCodeAt(0);
  if (lead === undefined || rest === undefined) return BACKSLASH;
  return ((lead.charCodeAt(0) & 3) << 6) | (rest.charCodeAt(0) & 0x3f);
}

interface Alphabet {
  /** Matches text long enough to be the encoding of eight bytes. */
  readonly runs: RegExp;
  /** Matches the beginning of such a text, at the end of the answer. */
  readonly tail: RegExp;
  readonly bits: number;
  /** The number of digits that make whole bytes: a run can begin at any of them. */
  readonly period: number;
  /** The value of a digit by its character code; -1 for what may stand between digits. */
  readonly values: Int8Array;
}

/** The value of each digit by its character code; -1 for every other character. */
function tabulateValues(...alphabets: readonly string[]): Int8Array {
  const values = new Int8Array(256).fill(-1);
  for (const alphabet of alphabets) {
    for (let value = 0; value < alphabet.length; value += 1) values[alphabet.charCodeAt(value)] = value;
  }
  return values;
}

const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

const BASE64: Alphabet = {
  // Broken into lines, as MIME and openssl do.
  runs: /(?:[a-z0-9+/_-][\r\n]{0,2}){11,}/gi,
  tail: /(?:[a-z0-9+/_-][\r\n]{0,2}){4,10}$/i,
  bits: 6,
  period: 4,
  values: tabulateValues(`${LETTERS}+/`, `${LETTERS}-_`),
};

const HEX: Alphabet = {
  runs: /(?:[0-9a-f][ :\r\n-]?){16,}/gi,
  tail: /(?:[0-9a-f][ :\r\n-]?){6,15}$/i,
  bits: 4,
  period: 2,
  values: tabulateValues("0123456789abcdef", "0123456789ABCDEF"),
};

/**
 * Decodes every run of the text, from each digit at which it may begin. When their ends matter, each start is a reading
 * of its own.
 */
function decodings(reading: Reading, alphabet: Alphabet, isCut: boolean): Reading[] {
  const runs = findRuns(reading.text, alphabet, isCut);
  if (runs.length === 0) return [];
  const charsMax = runs.reduce((sum, [from, to]) => sum + to - from + 1, 0) * (isCut ? 1 : alphabet.period);
  const readings: Reading[] = [];
  let read = createWriter(charsMax);
  for (let skipped = 0; skipped < alphabet.period; skipped += 1) {
    for (const run of runs) decodeRun(reading, { run, skipped, alphabet, read });
    if (!isCut) continue;
    readings.push(read.done());
    read = createWriter(charsMax);
  }
  return isCut ? readings : [read.done()];
}

type Span = readonly [from: number, to: number];

function findRuns(text: string, { runs, tail }: Alphabet, isCut: boolean): readonly Span[] {
  const found = [...text.matchAll(runs)].map(({ index, 0: run }): Span => [index, index + run.length]);
  if (!isCut || found.at(-1)?.[1] === text.length) return found;
  const [last] = tail.exec(text.slice(-TAIL_CHARS)) ?? [];
  return last === undefined ? found : [...found, [text.length - last.length, text.length]];
}

const TAIL_CHARS = 40;

interface Run {
  readonly run: Span;
  readonly skipped: number;
  readonly alphabet: Alphabet;
  readonly read: Writer;
}

function decodeRun(reading: Reading, { run: [first, behind], skipped, alphabet, read }: Run): void {
  let buffer = 0;
  let bits = 0;
  let digits = 0;
  let from = first;
  for (let index = first; index < behind; index += 1) {
    const value = alphabet.values[reading.text.charCodeAt(index)] ?? -1;
    if (value < 0) continue;
    digits += 1;
    if (digits <= skipped) continue;
    if (bits === 0) from = index;
    buffer = ((buffer << alphabet.bits) | value) & 0xffff;
    bits += alphabet.bits;
    if (bits < 8) continue;
    bits -= 8;
    read.put((buffer >> bits) & 0xff, reading.start(from), reading.end(index));
    // A digit of base64 may belong to two bytes.
    from = bits === 0 ? index + 1 : index;
  }
  // The next run is another text. Digits that make no whole byte belong to the run before.
  read.put(0, reading.end(behind - 1), reading.end(behind - 1));
}

interface Writer {
  put(code: number, start: number, end: number): void;
  done(): Reading;
}

function createWriter(charsMax: number): Writer {
  const codes = Buffer.allocUnsafe(charsMax);
  const starts = new Int32Array(charsMax);
  const ends = new Int32Array(charsMax);
  let count = 0;
  return {
    put(code, start, end) {
      codes[count] = code;
      starts[count] = start;
      ends[count] = end;
      count += 1;
    },
    done() {
      const text = codes.toString("latin1", 0, count);
      return { text, start: (index) => starts[index] ?? 0, end: (index) => ends[index] ?? 0 };
    },
  };
}
