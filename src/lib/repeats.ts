/**
 * Log lines that repeat themselves. A caller, a timer or a loop meets the same failure again and again: 20 s without
 * PostgreSQL at 44 calls a second wrote 919 lines of 1.4 KB (measured). So a line is written when something begins,
 * then how often it has happened, at intervals that double, and once more when it has ended:
 *
 *     bellwire.failed ── 10 s ──► bellwire.failed.repeated ── 20 s ──► … ── quiet ──► bellwire.failed.ended
 *
 * Invariant: what has not been told yet is told at once. Only the same again is counted instead.
 */
import type { Logger } from "pino";
import type { CancelTimer, Clock } from "./clock.ts";
import { minutesMs, secondsMs } from "./duration.ts";

export interface RepeatedLine {
  /** Among those of its message the same key is the same trouble. It holds no id, or each would be one of its own. */
  readonly key: string;
  readonly level: "warn" | "error";
  /** The name of the first line. */
  readonly message: string;
  /** Fields of all its lines. */
  readonly fields: Readonly<Record<string, unknown>>;
  /** Fields of the first line alone, such as an example's ids. */
  readonly first?: Readonly<Record<string, unknown>>;
  /** The trouble has ended when it has not been met for this long. */
  readonly quietMs?: number;
}

export interface Repeats {
  tell(line: RepeatedLine): void;
  /** Writes the counts that no line has yet: the process stops. */
  stop(): void;
}

/** Most loops come around within it. A slower one writes a line each time, which is twelve an hour at most. */
const QUIET_MS = minutesMs(5);
const FIRST_COUNT_MS = secondsMs(10);
const COUNT_MS_MAX = minutesMs(10);
const LOOK_MS = secondsMs(1);

/** The most keys of one message. The rest share one: accounts are many. */
const KEYS_MAX = 100;

interface Trouble {
  /** The latest, whose fields hold the latest cause. */
  line: RepeatedLine;
  times: number;
  toldTimes: number;
  readonly sinceMs: number;
  readonly beganMs: number;
  lastMs: number;
  countDueMs: number;
}

export function createRepeats(log: Logger, clock: Clock): Repeats {
  const troubles = new Map<string, Trouble>();
  let cancelLook: CancelTimer | null = null;

  function tell(line: RepeatedLine): void {
    const key = findKey(line);
    const lastMs = clock.monotonicMs();
    const known = troubles.get(key);
    if (known !== undefined) {
      Object.assign(known, { line, lastMs, times: known.times + 1 });
      return;
    }
    log[line.level]({ ...line.first, ...line.fields }, line.message);
    const began = { sinceMs: clock.nowMs(), beganMs: lastMs, lastMs, countDueMs: lastMs + FIRST_COUNT_MS };
    troubles.set(key, { line, times: 1, toldTimes: 1, ...began });
    cancelLook ??= clock.after(LOOK_MS, look);
  }

  function findKey({ message, key }: RepeatedLine): string {
    const own = `${message} ${key}`;
    if (troubles.has(own)) return own;
    const others = [...troubles.values()].filter(({ line }) => line.message === message);
    return others.length < KEYS_MAX ? own : message;
  }

  function look(): void {
    const nowMs = clock.monotonicMs();
    for (const [key, trouble] of troubles) {
      const { line, lastMs, beganMs, countDueMs, times, toldTimes } = trouble;
      if (nowMs - lastMs >= (line.quietMs ?? QUIET_MS)) {
        troubles.delete(key);
        writeEnd(trouble);
      } else if (nowMs >= countDueMs && times > toldTimes) {
        write(trouble, line.level, "repeated");
        trouble.toldTimes = times;
        trouble.countDueMs = nowMs + Math.min(nowMs - beganMs, COUNT_MS_MAX);
      }
    }
    cancelLook = troubles.size > 0 ? clock.after(LOOK_MS, look) : null;
  }

  /** One that was met once is told whole by its first line. */
  function writeEnd(trouble: Trouble): void {
    if (trouble.times > 1) write(trouble, "info", "ended");
  }

  function write(
    { line, times, sinceMs, beganMs, lastMs }: Trouble,
    level: "info" | "warn" | "error",
    how: string,
  ): void {
    const since = new Date(sinceMs).toISOString();
    log[level]({ ...line.fields, times, since, lasted_ms: Math.round(lastMs - beganMs) }, `${line.message}.${how}`);
  }

  return {
    tell,
    stop() {
      cancelLook?.();
      cancelLook = null;
      for (const trouble of troubles.values()) {
        if (trouble.times > trouble.toldTimes) write(trouble, trouble.line.level, "repeated");
      }
      troubles.clear();
    },
  };
}
