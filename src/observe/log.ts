/**
 * The log: JSON lines through pino, to an output that cannot stop the service. Field names come from the glossary;
 * names of lines are dotted, in the past tense. A line never holds payloads, secrets, header values, or paths and
 * queries of a Webhook URL.
 */
import { type DestinationStream, type Logger, pino } from "pino";
import { systemClock } from "../lib/clock.ts";
import type { LineStyle } from "./line-output.ts";

export type { Logger } from "pino";

/** A write takes 15 µs, so lines go together: under load in 16 KiB, otherwise those of half a second. */
export const FOR_LOG: LineStyle = {
  batch: { chars: 15 * 1024, ms: 500 },
  noticeOf: (lines) => {
    const time = new Date(systemClock.nowMs()).toISOString();
    return `${JSON.stringify({ level: "warn", time, lines, msg: "log.lines_dropped" })}\n`;
  },
};

export function createLog(level: "silent"): Logger;
export function createLog(level: string, output: DestinationStream): Logger;
export function createLog(level: string, output: DestinationStream = { write: () => {} }): Logger {
  const formatters = { level: (label: string) => ({ level: label }) };
  return pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime, formatters }, output);
}
