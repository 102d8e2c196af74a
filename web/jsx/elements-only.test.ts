import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { test } from "node:test";

const ROOT = join(import.meta.dirname, "..", "..");

/** Packages' components, whose types allow a text that they do not give. */
const OTHERS = ["Icon", "Link", "Route", "Router", "Switch", "Toast.Provider"];

test("no component of the page gives a bare text, which would stand beside whatever is around it", () => {
  const tsc = join(ROOT, "node_modules", "typescript", "bin", "tsc");
  const args = [tsc, "-p", "web", "--jsxImportSource", "#jsx/elements-only"];
  const { stdout } = spawnSync(process.execPath, args, { cwd: ROOT, encoding: "utf8" });
  const faults = stdout.split("\n").filter((line) => line.includes("error TS"));
  const found = faults.map((line) => /'(\S+)' cannot be used as a JSX component/.exec(line)?.[1] ?? line);
  assert.deepEqual([...new Set(found)].toSorted(), OTHERS, faults.join("\n"));
});
