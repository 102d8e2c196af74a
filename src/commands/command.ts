/** What a command gets from the outside world, so that a test can run it without a process. */
import type { Env } from "../config/env.ts";
import type { LineOutput } from "../observe/line-output.ts";

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

/** What a command gets that runs as a service: none of its outputs can stop it. */
export interface LongCommandIo extends CommandIo {
  /** Standard output, for the log. */
  readonly logOutput: LineOutput;
}

/** A command that runs until it is asked to stop, also when nobody reads what it writes. */
export type LongCommand = (io: LongCommandIo) => Promise<number>;
