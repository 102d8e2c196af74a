/**
 * A service whose instructions are counted: it runs inside valgrind's callgrind, which needs no counters of the
 * processor and counts the same wherever it runs. Only what the process itself does counts, not the kernel's part.
 */
import { execFileSync } from "node:child_process";
import { globSync, openSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { type Running, startService } from "../../test/kit/process/running.ts";

export interface Counted extends AsyncDisposable {
  readonly node: Running;
  /** Runs as slowly as counting makes it from here on. */
  slowDown(): void;
  /** Counts from zero. */
  begin(): void;
  /** What was executed since `begin`. */
  end(): Instructions;
}

export interface Instructions {
  readonly main: number;
  readonly store: number;
  /** V8's compilers and collectors, and libuv's. */
  readonly other: number;
}

interface Start {
  readonly root: string;
  readonly folder: string;
}

const VALGRIND = [
  "--tool=callgrind",
  "--instr-atstart=no",
  "--separate-threads=yes",
  // V8 writes code where other code was.
  "--smc-check=all-non-file",
];

/** `null`: valgrind is not there. */
export function readValgrindVersion(): string | null {
  try {
    return execFileSync("valgrind", ["--version"], { encoding: "utf8" }).trim();
  } catch {
    return null;
  }
}

export async function startCounted({ root, folder }: Start): Promise<Counted> {
  const out = join(folder, "callgrind");
  const program = [
    ...VALGRIND,
    `--callgrind-out-file=${out}`,
    process.execPath,
    join(root, "bin/bellwire.js"),
    "serve",
  ];
  const output = openSync(join(folder, "log"), "a");
  const node = await startService({ dataDir: folder, node: "valgrind", program, output });
  const control = (...args: readonly string[]): void => {
    execFileSync("callgrind_control", [...args, String(node.child.pid)], { stdio: "pipe" });
  };
  return {
    node,
    slowDown: () => control("--instr=on"),
    begin: () => control("--zero"),
    end() {
      for (const file of globSync(`${out}.*`)) rmSync(file);
      control("--dump");
      const [main = 0, ...others] = globSync(`${out}.*`).toSorted().map(readTotal);
      // Files have threads' numbers and no names; next to the main thread the store's does most.
      const [store = 0, ...rest] = others.toSorted((a, b) => b - a);
      return { main, store, other: rest.reduce((sum, total) => sum + total, 0) };
    },
    [Symbol.asyncDispose]: () => node.crash(),
  };
}

const readTotal = (file: string): number =>
  Number(/^(?:totals|summary): (\d+)/m.exec(readFileSync(file, "latin1"))?.[1] ?? 0);
