/**
 * Figures of the house, to compare two commits: `npm run house [-- --against <commit>]`. The limit that a figure must
 * not exceed is held by `test/house.test.ts`; this command prints where it stands.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { findCycles } from "./house/cycles.ts";
import { FUNCTION_LINES_MAX, findLongFunctions } from "./house/long-functions.ts";
import { readSources, type Source } from "./house/sources.ts";
import { saysSomething, shareOfMirroredLines } from "./house/mirrored.ts";
import { countWords, measureProse } from "./house/prose.ts";

const ROOT = join(import.meta.dirname, "..");

const { values } = parseArgs({ options: { against: { type: "string" } } });
const now = readFigures(ROOT);
const before = values.against === undefined ? null : figuresAt(values.against);

for (const [name, figure] of Object.entries(now)) {
  const was = before === null ? "" : `${before[name] ?? "–"} → `;
  console.log(`${name.padEnd(62)} ${was}${figure}`);
}

function readFigures(root: string): Record<string, string> {
  const sources = readSources(root);
  const store = sources.filter(({ path }) => /^src\/store\/(?!conformance\/).*\.ts$/.test(path));
  const product = store.filter(({ path }) => !path.endsWith(".test.ts"));
  const words = sum(sources.map(countWords));
  const prose = measureProse(sources);
  const mirrored = shareOfMirroredLines(sources);
  const said = shareOfMirroredLines(sources, saysSomething);
  return {
    "files of src/store, without tests and conformance": String(product.length),
    "lines of src/store, without tests and conformance": String(linesOf(product)),
    "lines of src/store with its tests, without conformance": String(linesOf(store)),
    "mirrored files of SQLite and PostgreSQL": String(mirrored.files),
    "SQLite's lines in them that stand in PostgreSQL": `${mirrored.shared} of ${mirrored.lines}`,
    "share of SQLite's lines that stand in PostgreSQL": percent(mirrored.shared / mirrored.allLines),
    "the same without blanks, brackets and imports, mirrored files": percent(said.shared / said.lines),
    "import cycles, types included": String(findCycles(sources).length),
    [`functions longer than ${FUNCTION_LINES_MAX} lines (components: 120), save suites`]: String(
      findLongFunctions(root).length,
    ),
    "words of comments": String(words),
    "whoever, nobody, so many …, per 1,000 of them": prose.family.toFixed(2),
    "sentences that begin with Of, What, Whose …, per 1,000": prose.openings.toFixed(2),
  };
}

function linesOf(sources: readonly Source[]): number {
  return sum(sources.map(({ text }) => text.split("\n").length - 1));
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

function percent(share: number): string {
  return `${(share * 100).toFixed(0)} %`;
}

function figuresAt(commit: string): Record<string, string> {
  const folder = mkdtempSync(join(tmpdir(), "bellwire-house-"));
  try {
    const archive = execFileSync("git", ["archive", commit], { cwd: ROOT, maxBuffer: 1024 ** 3 });
    execFileSync("tar", ["-x", "-C", folder], { input: archive });
    return readFigures(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
