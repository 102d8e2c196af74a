/** How long a caller may keep a connection busy without getting on. Tests that wait for one of these make it short. */
import { secondsMs } from "../lib/duration.ts";

export interface ServerTimes {
  /** From a connection's start, or the end of the request before, to the end of a head. */
  readonly headMs: number;
  /** The same to the end of the body. */
  readonly requestMs: number;
  /** How often the two above are looked at, so that they may come later by so much. */
  readonly checkMs: number;
  /** Without a byte of a body that is only thrown away. */
  readonly silenceMs: number;
  /** Without a byte that the caller takes of its answer. Above the deadline of a test from the dashboard, 15 s. */
  readonly stallMs: number;
}

/** Guesses, save the request's: 8 MiB in 30 s are a line of 2.2 Mbit/s. */
export const SERVER_TIMES: ServerTimes = {
  headMs: secondsMs(15),
  requestMs: secondsMs(30),
  checkMs: secondsMs(2),
  silenceMs: secondsMs(5),
  stallMs: secondsMs(30),
};
