/**
 * The output of a running service's lines. When the file, pipe or terminal behind it fails, the service continues: a
 * line waits in bounded memory, is written without blocking a caller, or is dropped and counted.
 *
 * One write is in flight at a time. After a failed write comes a pause, then the next try, which begins with the number
 * of missing lines. While a write does not return (a reader that hangs), lines wait up to the maximum.
 */
import type { CancelTimer, Clock } from "../lib/clock.ts";

/** The target of the bytes. */
export interface Sink {
  /** A write that does not return holds a thread, and through it the process. */
  readonly holdsThread: boolean;
  /** Calls back once with the number of written bytes, also when an error followed them. */
  write(bytes: Buffer, done: (error: Error | null, writtenBytes: number) => void): void;
  /** Writes synchronously; for the last moment of a process. May throw. */
  writeNow(bytes: Buffer): void;
}

export interface LineOutput {
  /** Takes one line with its line break. Never throws and never waits. */
  write(line: string): void;
  /** Lines that could not be written since the start. */
  linesDropped(): number;
  /** Writes the waiting lines once, if that takes less than `withinMs`. False when a write is still in flight then. */
  flush(withinMs: number): Promise<boolean>;
  /** A write keeps the process from ending. */
  isHanging(): boolean;
  /** For a process that ends at once, as in a crash: the waiting lines go out now, or never. */
  writeLast(): void;
}

/** How lines are written, depending on their reader. */
export interface LineStyle {
  /** Lines are written together at this many characters or after this many milliseconds; 0 is at once. */
  readonly batch: { readonly chars: number; readonly ms: number };
  /** The line, with its line break, that reports the missing lines at their place. */
  readonly noticeOf: (linesDropped: number) => string;
}

export interface LineOutputOptions extends LineStyle {
  readonly sink: Sink;
  readonly clock: Clock;
}

/** A line at a time, as they come. */
export const FOR_PEOPLE: LineStyle = {
  batch: { chars: 0, ms: 0 },
  noticeOf: (lines) => `(${lines} lines are missing here: they could not be written)\n`,
};

/**
 * The maximum of waiting lines, and once more for the write in flight: some thousand lines, 1 MB unless they are not
 * Latin.
 */
export const WAITING_CHARS_MAX = 1024 * 1024;
/** A disk is not full for less than this, and a try each second costs nothing. */
export const REST_MS = 1_000;

/** Disks take milliseconds. */
const HANGS_AFTER_MS = 500;

const LINE_END = 10;

export function createLineOutput(options: LineOutputOptions): LineOutput {
  return new WaitingLines(options);
}

/** The write in flight: a head that reports missing lines, and lines. */
interface Chunk {
  readonly bytes: Buffer;
  readonly headBytes: number;
  readonly told: number;
}

class WaitingLines implements LineOutput {
  readonly #options: LineOutputOptions;
  #waiting = "";
  #isWriting = false;
  #startedMs = 0;
  #isResting = false;
  #cancelTimer: CancelTimer | null = null;
  /** The last written byte is in the middle of a line. */
  #isTorn = false;
  #dropped = 0;
  /** Those among them that no notice has reported. */
  #untold = 0;
  /** Waits for the end of the write in flight. */
  #onIdle: (() => void)[] = [];

  constructor(options: LineOutputOptions) {
    this.#options = options;
  }

  write(line: string): void {
    if (this.#waiting.length + line.length > WAITING_CHARS_MAX) {
      this.#drop(1);
      return;
    }
    this.#waiting += line;
    if (!this.#isWriting && !this.#isResting) this.#writeSoon();
  }

  linesDropped(): number {
    return this.#dropped;
  }

  async flush(withinMs: number): Promise<boolean> {
    const { promise: late, resolve } = Promise.withResolvers<void>();
    const cancel = this.#options.clock.after(withinMs, resolve);
    await Promise.race([this.#settled(), late]);
    cancel();
    return !this.#isWriting;
  }

  isHanging(): boolean {
    const { sink, clock } = this.#options;
    return sink.holdsThread && this.#isWriting && clock.monotonicMs() - this.#startedMs >= HANGS_AFTER_MS;
  }

  writeLast(): void {
    // Behind a failure, or a write that hangs, this one might wait without end.
    if (this.#isWriting || this.#isResting || this.#waiting === "") return;
    try {
      this.#options.sink.writeNow(Buffer.from(this.#waiting));
    } catch {
      // The process ends, so the failure cannot be reported.
    }
    this.#waiting = "";
  }

  async #settled(): Promise<void> {
    // Twice: the write in flight, and the lines that came in the meantime.
    for (let round = 0; round < 2; round += 1) {
      this.#writeAll();
      if (this.#isWriting) await new Promise<void>((idle) => this.#onIdle.push(idle));
      if (this.#isResting) return;
    }
  }

  #writeSoon(): void {
    const { batch, clock } = this.#options;
    if (this.#waiting.length >= batch.chars || batch.ms === 0) this.#writeAll();
    else this.#cancelTimer ??= clock.after(batch.ms, () => this.#writeAll());
  }

  #writeAll(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = null;
    this.#isResting = false;
    if (this.#isWriting || (this.#waiting === "" && this.#untold === 0)) return;
    const told = this.#untold;
    const head = (this.#isTorn ? "\n" : "") + (told > 0 ? this.#options.noticeOf(told) : "");
    const bytes = Buffer.from(head + this.#waiting);
    const chunk = { bytes, headBytes: Buffer.byteLength(head), told };
    this.#waiting = "";
    this.#isWriting = true;
    this.#startedMs = this.#options.clock.monotonicMs();
    this.#options.sink.write(bytes, (error, writtenBytes) => this.#written(chunk, error, writtenBytes));
  }

  #written({ bytes, headBytes, told }: Chunk, error: Error | null, writtenBytes: number): void {
    this.#isWriting = false;
    this.#isResting = error !== null;
    if (writtenBytes >= headBytes) this.#untold -= told;
    if (writtenBytes > 0) this.#isTorn = bytes[writtenBytes - 1] !== LINE_END;
    if (error === null) {
      if (this.#waiting !== "") this.#writeSoon();
    } else {
      // A line that was cut ends behind the cut, so it counts as missing.
      this.#drop(lineEndsIn(bytes, Math.max(writtenBytes, headBytes)));
      this.#cancelTimer = this.#options.clock.after(REST_MS, () => this.#writeAll());
    }
    for (const idle of this.#onIdle.splice(0)) idle();
  }

  #drop(lines: number): void {
    this.#dropped += lines;
    this.#untold += lines;
  }
}

function lineEndsIn(bytes: Buffer, from: number): number {
  let count = 0;
  for (let at = bytes.indexOf(LINE_END, from); at !== -1; at = bytes.indexOf(LINE_END, at + 1)) count += 1;
  return count;
}
