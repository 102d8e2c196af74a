/**
 * `npm run check`: format, lint, types and dead code, one line a step with its duration. All steps run even when one
 * fails, so that one round shows everything. Tests are `npm test`.
 */
import { spawnSync } from "node:child_process";
import { platform } from "node:os";
import { join } from "node:path";

const ROOT = join(import.meta.dirname, "..");

const STEPS: readonly { readonly name: string; readonly tool: string; readonly args: readonly string[] }[] = [
  { name: "format", tool: "oxfmt", args: ["--check", "."] },
  { name: "lint", tool: "oxlint", args: [] },
  { name: "types", tool: "tsc", args: [] },
  { name: "dead code", tool: "knip", args: [] },
];

const failed = STEPS.filter((step) => !passes(step));
if (failed.length > 0) {
  console.error(`\n${failed.map(({ name }) => name).join(", ")} failed`);
  process.exitCode = 1;
}

function passes({ name, tool, args }: (typeof STEPS)[number]): boolean {
  const startedMs = performance.now();
  // On Windows a tool's command is a script, which only a shell can start.
  const shell = platform() === "win32";
  const run = spawnSync(join(ROOT, "node_modules", ".bin", tool), args, { cwd: ROOT, encoding: "utf8", shell });
  const seconds = ((performance.now() - startedMs) / 1000).toFixed(1);
  const passed = run.status === 0;
  console.log(`${passed ? "✓" : "✗"} ${name.padEnd(10)} ${seconds} s`);
  if (!passed) console.log(`\n${run.stdout ?? ""}${run.stderr ?? ""}${run.error?.message ?? ""}`);
  return passed;
}
