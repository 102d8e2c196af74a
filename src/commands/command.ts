/** What a command gets from the outside world, so that a test can run it without a process. */
import type { Env } from "../config/env.ts";

export interface CommandIo {
  /** What stands behind the command's name. */
  readonly args: readonly string[];
  readonly env: Env;
  /** Writes a line for people to standard output. */
  readonly out: (line: string) => void;
  /** Writes a line for people to standard error. */
  readonly err: (line: string) => void;
  /** Resolves when the process is asked to stop (SIGINT, SIGTERM). */
  readonly stopAsked: Promise<void>;
}

/** Runs a command to its end and returns the exit code: 0 done, 1 it did not work, 2 it was called wrongly. */
export type Command = (io: CommandIo) => Promise<number>;
