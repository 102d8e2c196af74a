import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { newFolder } from "../../test/kit/folder.ts";

const ROOT = join(import.meta.dirname, "../..");
const READ = ["package.json", "tsconfig.json", "web"];
const { include } = JSON.parse(readFileSync(join(ROOT, "tsconfig.json"), "utf8")) as { include: readonly string[] };

test("a new setting of a webhook breaks the places that say it, and no test", () => {
  using folder = newFolder();
  for (const name of [...include, ...READ]) cpSync(join(ROOT, name), join(folder.path, name), { recursive: true });
  symlinkSync(join(ROOT, "node_modules"), join(folder.path, "node_modules"), "junction");
  const form = join(folder.path, "src/domain/webhook-form.ts");
  const before = readFileSync(form, "utf8");
  writeFileSync(form, before.replace("const KEPT = {", "const KEPT = {\n  probe: Type.String(),"));
  const broken = new Set([...listBroken(folder.path, "."), ...listBroken(folder.path, "web")]);
  assert.deepEqual([...broken].toSorted(), [
    "src/domain/webhook-form.ts",
    "src/store/columns.ts",
    // Its rows have the columns above.
    "src/store/sql/set-up/destinations.ts",
    "web/parts/webhook/kept-draft.ts",
  ]);
});

/** The files in which the compiler finds an error. */
function listBroken(folder: string, project: string): readonly string[] {
  const { stdout } = spawnSync(process.execPath, [join(ROOT, "node_modules/typescript/bin/tsc"), "-p", project], {
    cwd: folder,
    encoding: "utf8",
  });
  return [...stdout.matchAll(/^(.+)\(\d+,\d+\): error/gm)].map(([, file = ""]) => file.replaceAll("\\", "/"));
}
