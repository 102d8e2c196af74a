/**
 * The log: JSON lines through pino, to an output that cannot stop the service. Field names come from the glossary;
 * names of lines are dotted, in the past tense. A line never holds payloads, secrets, header values, or paths and
 * queries of a Webhook URL.
 */
import { type DestinationStream, type Logger, pino } from "pino";
import { systemClock } from "../lib/clock.ts";
import { createIsoText } from "../lib/written-times.ts";
import type { LineStyle } from "./line-output.ts";

export type { Logger } from "pino";

/** pino's logger, and beside it a way for the lines that each webhook leaves. */
export interface Log extends Logger {
  /**
   * Writes a line whose fields `format` gives as JSON without the braces, when that level is on. The line looks like
   * those of pino and goes to the same output.
   */
  writeFields(level: "info" | "warn", format: () => string, message: string): void;
}

/** A write takes 15 µs, so lines go together: under load in 16 KiB, otherwise those of half a second. */
export const FOR_LOG: LineStyle = {
  batch: { chars: 15 * 1024, ms: 500 },
  noticeOf: (lines) => {
    const time = new Date(systemClock.nowMs()).toISOString();
    return `${JSON.stringify({ level: "warn", time, lines, msg: "log.lines_dropped" })}\n`;
  },
};

export function createLog(level: "silent"): Log;
export function createLog(level: string, output: DestinationStream): Log;
export function createLog(level: string, output: DestinationStream = { write: () => {} }): Log {
  const isoText = createIsoText();
  const timestamp = (): string => `,"time":"${isoText(systemClock.nowMs())}"`;
  const formatters = { level: (label: string) => ({ level: label }) };
  const log = pino({ level, base: null, timestamp, formatters }, output);
  return Object.assign(log, {
    writeFields(at: "info" | "warn", format: () => string, message: string): void {
      if (log.isLevelEnabled(at)) output.write(`{"level":"${at}"${timestamp()},${format()},"msg":"${message}"}\n`);
    },
  });
}
