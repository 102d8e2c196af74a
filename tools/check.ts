/**
 * `npm run check`: format, lint, types, dead code, known holes and the page's weight, one line a step with its
 * duration. All steps run even when one fails, so that one round shows everything. Tests are `npm test`.
 */
import { spawnSync } from "node:child_process";
import { platform } from "node:os";
import { join } from "node:path";

const ROOT = join(import.meta.dirname, "..");

interface Step {
  readonly name: string;
  /** A command of `node_modules/.bin`, or `node` for the Node that runs this. */
  readonly tool: string;
  readonly args: readonly string[];
  /** Its output is worth reading when it passes, too. */
  readonly prints?: true;
}

const STEPS: readonly Step[] = [
  { name: "format", tool: "oxfmt", args: ["--check", "."] },
  { name: "lint", tool: "oxlint", args: [] },
  { name: "types", tool: "tsc", args: [] },
  { name: "web types", tool: "tsc", args: ["-p", "web"] },
  { name: "dead code", tool: "knip", args: [] },
  { name: "audit", tool: "node", args: ["tools/audit.ts"], prints: true },
  { name: "web build", tool: "node", args: ["tools/web.ts", "--check"], prints: true },
];

const failed = STEPS.filter((step) => !passes(step));
if (failed.length > 0) {
  console.error(`\n${failed.map(({ name }) => name).join(", ")} failed`);
  process.exitCode = 1;
}

function passes({ name, tool, args, prints }: Step): boolean {
  const startedMs = performance.now();
  // On Windows a tool's command is a script, which only a shell can start.
  const shell = platform() === "win32" && tool !== "node";
  const command = tool === "node" ? process.execPath : join(ROOT, "node_modules", ".bin", tool);
  const run = spawnSync(command, args, { cwd: ROOT, encoding: "utf8", shell });
  const seconds = ((performance.now() - startedMs) / 1000).toFixed(1);
  const passed = run.status === 0;
  console.log(`${passed ? "✓" : "✗"} ${name.padEnd(10)} ${seconds} s`);
  if (passed && prints === true) console.log(run.stdout.trimEnd());
  if (!passed) console.log(`\n${run.stdout ?? ""}${run.stderr ?? ""}${run.error?.message ?? ""}`);
  return passed;
}
