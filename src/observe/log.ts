/**
 * The log: JSON lines on standard output through pino. Field names are the glossary's; names of lines are dotted, in
 * the past tense. Never in a line: payloads, secrets, header values, paths or queries of a Webhook URL.
 */
import { type Logger, destination, pino } from "pino";

export type { Logger } from "pino";

/** Flushed in 4 KB pieces under load and within half a second otherwise: a line per attempt must not cost a write each. */
const BUFFER_BYTES = 4_096;

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
