/**
 * The log: JSON lines on standard output through pino. Field names are the glossary's; names of lines are dotted, in
 * the past tense. Never in a line: payloads, secrets, header values, paths or queries of a Webhook URL.
 */
import { type Logger, destination, pino } from "pino";

export type { Logger } from "pino";

/** Flushed at this size under load (sonic-boom takes at most 16 KiB), else within half a second: a write is 15 µs. */
const BUFFER_BYTES = 15 * 1024;

export function createLog(level: string): Logger {
  const out = destination({
    dest: 1,
    sync: false,
    minLength: level === "silent" ? 0 : BUFFER_BYTES,
    periodicFlush: 500,
  });
  return pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime, formatters: { level: levelName } }, out);
}

const levelName = (label: string) => ({ level: label });
