/**
 * `npm run repeat -- --times 50 --load 4 "e2e/browser/*.test.ts"`: the same tests again and again beside processes that
 * do nothing but compute. A test that fails now and then is a bug; this finds it, says which and how often, and keeps
 * what each failed run printed.
 *
 * It ends what it has started, each by its own id, also when it is interrupted or a run hangs.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { createWriteStream, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";

const USAGE = `Usage: npm run repeat -- [--times 50] [--load 4] [--minutes 30] [--concurrency 1] pattern …

  --times        how often all of them run
  --load         how many processes compute beside them
  --minutes      when a run that has not ended has failed
  --concurrency  how many files of a run at once`;

interface Plan {
  readonly times: number;
  readonly load: number;
  readonly minutes: number;
  readonly concurrency: number;
  readonly patterns: readonly string[];
}

interface Run {
  readonly seconds: number;
  /** Names of the tests that failed; `null` when all passed. */
  readonly failed: readonly string[] | null;
}

/** Ends with the process that started it, however that ended, and after eight hours in any case. */
const COMPUTE = `const parent = process.ppid, until = Date.now() + 8 * 3600_000;
while (process.ppid === parent && Date.now() < until) for (let i = 0; i < 1e7; i += 1);`;

const children = new Set<ChildProcess>();
process.once("SIGINT", () => interrupt(130));
process.once("SIGTERM", () => interrupt(143));

const plan = readPlan();
if (plan === null) {
  console.error(USAGE);
  process.exitCode = 2;
} else {
  await repeat(plan);
}

async function repeat({ times, load, ...each }: Plan): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "bellwire-repeat-"));
  for (let count = 0; count < load; count += 1) start(["-e", COMPUTE], "ignore");
  const runs: Run[] = [];
  try {
    while (runs.length < times) {
      const log = join(folder, `run-${runs.length + 1}.log`);
      const run = await runOnce(log, each);
      runs.push(run);
      const word = run.failed === null ? "✓" : "✗";
      console.log(`${word} ${runs.length} of ${times}  ${run.seconds.toFixed(1)} s`);
      if (run.failed === null) rmSync(log);
      else console.log([...run.failed.map((name) => `    ${name}`), `    ${log}`].join("\n"));
    }
  } finally {
    endAll();
  }
  report(runs, load);
  if (runs.every(({ failed }) => failed === null)) rmSync(folder, { recursive: true });
}

async function runOnce(log: string, { minutes, concurrency, patterns }: Omit<Plan, "times" | "load">): Promise<Run> {
  const begunAtMs = performance.now();
  const file = createWriteStream(log);
  const args = ["--test", "--test-reporter=spec", `--test-concurrency=${concurrency}`, ...patterns];
  const child = start(args, "pipe");
  child.stdout?.pipe(file, { end: false });
  child.stderr?.pipe(file, { end: false });
  const timer = setTimeout(() => end(child), minutes * 60_000);
  const exitCode = await new Promise<number | null>((resolve) => {
    child.once("close", resolve);
  });
  clearTimeout(timer);
  children.delete(child);
  await new Promise((resolve) => {
    file.end(resolve);
  });
  const seconds = (performance.now() - begunAtMs) / 1000;
  if (exitCode === 0) return { seconds, failed: null };
  return { seconds, failed: exitCode === null ? [`did not end in ${minutes} minutes`] : failedIn(log) };
}

/** As the reporter repeats them at its end: the innermost test, and not what it stands in. */
function failedIn(log: string): readonly string[] {
  const [, summary = ""] = readFileSync(log, "utf8").split(/^✖ failing tests:$/m);
  const names = [...summary.matchAll(/^✖ (.+) \([\d.]+ms\)$/gm)].map(([, name = ""]) => name);
  return names.length === 0 ? ["no test failed by name: see the log"] : names;
}

/** Each leads a group of its own, so that what a test has started ends with it. */
function start(args: readonly string[], output: "pipe" | "ignore"): ChildProcess {
  const child = spawn(process.execPath, args, { stdio: ["ignore", output, output], detached: true });
  children.add(child);
  return child;
}

function end(child: ChildProcess): void {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  try {
    process.kill(-child.pid, "SIGKILL");
  } catch {
    // It has ended by itself a moment ago.
  }
}

function endAll(): void {
  for (const child of children) end(child);
}

function interrupt(exitCode: number): void {
  endAll();
  process.exit(exitCode);
}

function report(runs: readonly Run[], load: number): void {
  const failures = runs.filter(({ failed }) => failed !== null);
  const seconds = runs.map((run) => run.seconds).toSorted((a, b) => a - b);
  const at = (share: number): string => (seconds[Math.floor((seconds.length - 1) * share)] ?? 0).toFixed(1);
  console.log(`${runs.length} runs beside a load of ${load}: ${failures.length} failed`);
  console.log(`a run took ${at(0)} s at least, ${at(0.5)} s in the middle, ${at(1)} s at most`);
  const counts = Map.groupBy(
    failures.flatMap(({ failed }) => failed ?? []),
    (name) => name,
  );
  for (const [name, times] of counts) console.log(`  ${times.length} × ${name}`);
  process.exitCode = failures.length === 0 ? 0 : 1;
}

function readPlan(): Plan | null {
  const { values, positionals: patterns } = parseArgs({
    options: {
      times: { type: "string", default: "50" },
      load: { type: "string", default: "4" },
      minutes: { type: "string", default: "30" },
      concurrency: { type: "string", default: "1" },
    },
    allowPositionals: true,
  });
  const numbers = {
    times: Number(values.times),
    load: Number(values.load),
    minutes: Number(values.minutes),
    concurrency: Number(values.concurrency),
  };
  const isGood = Object.entries(numbers).every(
    ([name, value]) => Number.isInteger(value) && value >= (name === "load" ? 0 : 1) && value <= 1_000,
  );
  return isGood && patterns.length > 0 ? { ...numbers, patterns } : null;
}
