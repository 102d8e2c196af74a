/**
 * Functions that are longer than the linter's limit, in tests too, where the linter itself is told to look away: a
 * suite (a function around `describe` or `test`) says nothing by its length, and only here the two are told apart.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const OXLINT = join(import.meta.dirname, "..", "..", "node_modules", "oxlint", "bin", "oxlint");
export const FUNCTION_LINES_MAX = 70;
/** A component's longest part is what it draws. */
const COMPONENT_LINES_MAX = 120;
const FOLDERS = ["src", "web", "bridge", "test", "e2e", "sim", "bench", "chaos", "tools", "examples"];

/** As `file:line: how long`, in the folders below `root`. */
export function findLongFunctions(root: string, folders: readonly string[] = FOLDERS): string[] {
  const folder = mkdtempSync(join(tmpdir(), "bellwire-long-"));
  try {
    const config = join(folder, "oxlint.json");
    writeFileSync(config, JSON.stringify(CONFIG));
    const run = spawnSync(process.execPath, [OXLINT, "--config", config, "--format", "json", ...folders], {
      cwd: root,
      encoding: "utf8",
      maxBuffer: 1024 ** 3,
    });
    const { diagnostics } = JSON.parse(run.stdout) as { diagnostics: Diagnostic[] };
    return diagnostics.flatMap((found) => (isSuite(root, found) ? [] : [describeFinding(found)])).toSorted();
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const CONFIG = {
  categories: { correctness: "off" },
  rules: { "max-lines-per-function": ["error", { max: FUNCTION_LINES_MAX }] },
  overrides: [{ files: ["**/*.tsx"], rules: { "max-lines-per-function": ["error", { max: COMPONENT_LINES_MAX }] } }],
  ignorePatterns: ["examples/verify/*/**", "**/dist/**", "**/.build-*/**"],
};

interface Diagnostic {
  readonly message: string;
  readonly filename: string;
  readonly labels: readonly { readonly span: { offset: number; length: number; line: number } }[];
}

function isSuite(root: string, { filename, labels }: Diagnostic): boolean {
  const { offset, length } = labels[0]?.span ?? { offset: 0, length: 0 };
  const text = readFileSync(join(root, filename)).subarray(offset, offset + length);
  return /(?<![.\w])(?:describe|test)\(/.test(text.toString());
}

function describeFinding({ message, filename, labels }: Diagnostic): string {
  const [, lines] = /\((\d+)\)/.exec(message) ?? [];
  return `${filename.replaceAll("\\", "/")}:${labels[0]?.span.line}: a function of ${lines} lines`;
}
