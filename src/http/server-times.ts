/**
 * The times for which a caller may keep a connection busy without progress. Tests that wait for one of these make it
 * short.
 */
import { secondsMs } from "../lib/duration.ts";

export interface ServerTimes {
  /** From a connection's start, or the end of the request before, to the end of a head. */
  readonly headMs: number;
  /** The same to the end of the body. */
  readonly requestMs: number;
  /** The interval at which the two above are checked, so that they may be late by this much. */
  readonly checkMs: number;
  /** The longest silence in a body that is only discarded. */
  readonly silenceMs: number;
  /**
   * The longest time in which the caller reads no byte of its answer. Above the deadline of a test from the dashboard,
   * 15 s.
   */
  readonly stallMs: number;
  /**
   * When the server closes: for callers that have not sent their whole request. Attempts in
   * flight have the other 15 s of a stop.
   */
  readonly leaveMs: number;
}

/** Guesses, except the request's: 8 MiB in 30 s are a line of 2.2 Mbit/s. */
export const SERVER_TIMES: ServerTimes = {
  headMs: secondsMs(15),
  requestMs: secondsMs(30),
  checkMs: secondsMs(2),
  silenceMs: secondsMs(5),
  stallMs: secondsMs(30),
  leaveMs: secondsMs(5),
};
