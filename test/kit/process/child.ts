/**
 * A process of a test: started, listened to line by line, and always ended. Whatever a test does (fail, throw, run out
 * of time), the processes that it started are killed by their ids, and no other is touched.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import { soon } from "../wait.ts";

export interface ChildOptions {
  /** Node's arguments: the program and its own. */
  readonly args: readonly string[];
  readonly cwd?: string;
  /** The whole environment of the child besides what Node itself needs. */
  readonly env?: Readonly<Record<string, string>>;
  /** Another Node than the one that runs the test. */
  readonly node?: string;
  /** A file that takes the standard output; its lines are not read then. */
  readonly output?: number;
  /** Likewise for standard error. */
  readonly errors?: number;
  /** Another user; only root may. */
  readonly uid?: number;
  readonly gid?: number;
}

export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface Child extends AsyncDisposable {
  readonly pid: number;
  readonly out: Lines;
  readonly err: Lines;
  readonly exited: Promise<Exit>;
  kill(signal: NodeJS.Signals): void;
  /** Closes its standard input, which asks a program of ours to finish. */
  endInput(): void;
}

const running = new Set<ChildProcess>();

/** `exit` also comes when a test run is cancelled: the signals below lead to it. */
process.on("exit", () => {
  for (const child of running) child.kill("SIGKILL");
});
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1));

export function startChild({
  args,
  cwd,
  env = {},
  node = process.execPath,
  output,
  errors,
  ...user
}: ChildOptions): Child {
  const child = spawn(node, [...args], {
    ...user,
    ...(cwd === undefined ? {} : { cwd }),
    env: { ...inherited(), ...env },
    stdio: ["pipe", output ?? "pipe", errors ?? "pipe"],
  });
  running.add(child);
  const exited = new Promise<Exit>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code, signal) => {
      running.delete(child);
      resolve({ code, signal });
    });
  });
  return {
    pid: child.pid ?? -1,
    out: new Lines(child.stdout ?? Readable.from([]), exited),
    err: new Lines(child.stderr ?? Readable.from([]), exited),
    exited,
    kill: (signal) => void child.kill(signal),
    endInput: () => void child.stdin?.end(),
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await exited;
    },
  };
}

/** Settings of the machine that runs the test must not reach the service under test. */
const inherited = (): Record<string, string | undefined> =>
  Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^(?:BELLWIRE_|OTEL_|NODE_TEST|NODE_OPTIONS)/.test(name)),
  );

/** A stream's lines, kept, and waited for. */
export class Lines {
  readonly all: string[] = [];
  readonly #waiters = new Set<(line: string) => void>();
  readonly #exited: Promise<Exit>;

  constructor(stream: Readable, exited: Promise<Exit>) {
    this.#exited = exited;
    createInterface({ input: stream }).on("line", (line) => {
      this.all.push(line);
      for (const waiter of this.#waiters) waiter(line);
    });
  }

  get text(): string {
    return this.all.join("\n");
  }

  /** The first line, past or coming, that matches. Rejects when the process ends without one. */
  async match(pattern: RegExp): Promise<RegExpExecArray> {
    for (const line of this.all) {
      const known = pattern.exec(line);
      if (known !== null) return known;
    }
    const { promise, resolve, reject } = Promise.withResolvers<RegExpExecArray>();
    const waiter = (line: string): void => {
      const found = pattern.exec(line);
      if (found !== null) resolve(found);
    };
    this.#waiters.add(waiter);
    void this.#exited.then(({ code, signal }) => {
      reject(new Error(`it ended (code ${code}, signal ${signal}) without a line like ${pattern}:\n${this.text}`));
    });
    return await soon(promise, `a line like ${pattern}`).finally(() => this.#waiters.delete(waiter));
  }
}
