/** A command's outside world for tests: what it prints is kept, and it can be waited for and asked to stop. */
import type { LongCommandIo } from "../../../src/commands/command.ts";
import { pickOurs } from "../../../src/config/env.ts";
import type { LineOutput } from "../../../src/observe/line-output.ts";

export interface FakeIo {
  readonly io: LongCommandIo;
  readonly out: readonly string[];
  readonly err: readonly string[];
  /** The first line of either kind that matches, as soon as it is printed. */
  printed(pattern: RegExp): Promise<string>;
  stop(): void;
}

export function createFakeIo(args: readonly string[], env: Readonly<Record<string, string>> = {}): FakeIo {
  const { promise: stopAsked, resolve: stop } = Promise.withResolvers<void>();
  const out: string[] = [];
  const err: string[] = [];
  let waiting: { readonly pattern: RegExp; readonly resolve: (line: string) => void }[] = [];

  function print(lines: string[], line: string): void {
    lines.push(line);
    for (const waiter of waiting.filter(({ pattern }) => pattern.test(line))) waiter.resolve(line);
    waiting = waiting.filter(({ pattern }) => !pattern.test(line));
  }

  const logOutput: LineOutput = {
    write: (line) => print(out, line.trimEnd()),
    linesDropped: () => 0,
    isHanging: () => false,
    flush: async () => true,
    writeLast: () => {},
  };

  return {
    io: {
      args,
      env: pickOurs(env),
      variable: (name) => env[name],
      out: (line) => print(out, line),
      err: (line) => print(err, line),
      stopAsked,
      logOutput,
      isTerminal: false,
    },
    out,
    err,
    printed(pattern) {
      const known = [...out, ...err].find((line) => pattern.test(line));
      if (known !== undefined) return Promise.resolve(known);
      return new Promise((resolve) => {
        waiting.push({ pattern, resolve });
      });
    },
    stop,
  };
}
