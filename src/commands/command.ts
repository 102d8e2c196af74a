/** The outside world of a command, so that a test can run it without a process. */
import type { Env } from "../lib/settings/option.ts";
import type { LineOutput } from "../observe/line-output.ts";

export interface CommandIo {
  /** The words behind the command's name. */
  readonly args: readonly string[];
  /** The variables of this program alone. */
  readonly env: Env;
  /** Any variable of the environment, which somebody's file names. */
  readonly variable: (name: string) => string | undefined;
  /** Writes a line for people to standard output. */
  readonly out: (line: string) => void;
  /** Writes a line for people to standard error. */
  readonly err: (line: string) => void;
  /** Resolves when the process is asked to stop (SIGINT, SIGTERM). */
  readonly stopAsked: Promise<void>;
}

/** Runs a command to its end and returns the exit code: 0 done, 1 failed, 2 called wrongly. */
export type Command = (io: CommandIo) => Promise<number>;

/** The outside world of a command that runs as a service: none of its outputs can stop it. */
export interface LongCommandIo extends CommandIo {
  /** Standard output, for the log. */
  readonly logOutput: LineOutput;
  /** Whether `err` is a person's terminal. Elsewhere it is collected with the logs, so no secret may be in it. */
  readonly isTerminal: boolean;
}

/** A command that runs until it is asked to stop, also when its output is not read. */
export type LongCommand = (io: LongCommandIo) => Promise<number>;
