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
import { isProduct, listTracked, readSources, type Source } from "./house/sources.ts";
import { saysSomething, shareOfMirroredLines } from "./house/mirrored.ts";

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
  const files = listTracked(root);
  const inSrc = files.filter(({ path }) => path.startsWith("src/"));
  const product = inSrc.filter(isProduct);
  const store = product.filter(({ path }) => path.startsWith("src/store/"));
  const page = files.filter(({ path }) => path.startsWith("web/")).filter(isProduct);
  const bridges = files.filter(({ path }) => path.startsWith("bridge/")).filter(isProduct);
  const harness = files.filter(({ path }) => /^(?:test|e2e|bench|sim|chaos|tools)\/.*\.(?:ts|sql)$/.test(path));
  const beside = [...inSrc, ...files.filter(({ path }) => path.startsWith("web/"))].filter((file) => !isProduct(file));
  const said = shareOfMirroredLines(sources, saysSomething);
  const all = Buffer.concat(files.map(({ bytes }) => bytes)).length;
  const textOf = (path: string): string => files.find((file) => file.path === path)?.text ?? "";
  return {
    "lines of product in src": number(linesOf(product)),
    "lines of them in the store": number(linesOf(store)),
    "lines of product in web": number(linesOf(page)),
    "product text of src, MB": megabytesOf(product),
    "product text of web, MB": megabytesOf(page),
    "product text of bridges, MB": megabytesOf(bridges),
    "lines of tests, conformance and dumps beside them": number(linesOf(beside)),
    "lines of harnesses (test, e2e, bench, sim, chaos, tools)": number(linesOf(harness)),
    "median and longest line of the product": lineLengths(product),
    "files of the product with 30 lines or fewer, src and web": number(
      [...product, ...page].filter((file) => linesOf([file]) <= 30).length,
    ),
    "verbs of the store": number(countVerbs(sources)),
    settings: number(textOf("docs/config.md").match(/^\| `(?:BELLWIRE|OTEL)_/gm)?.length ?? 0),
    "words of the glossary": number(findGlossary(textOf("ARCHITECTURE.md")).length),
    "share of SQLite's lines that stand in PostgreSQL": percent(said.shared / said.lines),
    "import cycles, types included": number(findCycles(sources).length),
    [`functions longer than ${FUNCTION_LINES_MAX} lines (components: 120), save suites`]: number(
      findLongFunctions(root).length,
    ),
    "repository without history, MB": (all / 1e6).toFixed(1),
  };
}

/** Rows such as `saveAlert: { kind: "set-up", … }` in the contract's tables; `saveAlert: "set-up"` at older commits. */
function countVerbs(sources: readonly Source[]): number {
  const contract = sources.filter(({ path }) => /^src\/store\/contract\/.*\.ts$/.test(path));
  const row = /^ {2}\w+: (?:\{\s+kind: )?"(?:path|set-up|side)"/gm;
  return sum(contract.map(({ text }) => text.match(row)?.length ?? 0));
}

function findGlossary(text: string): readonly string[] {
  const [, glossary = ""] = /^## Glossary.*\n([\s\S]*?)\n## /m.exec(text) ?? [];
  return [...glossary.matchAll(/\*\*([^*]+)\*\*/g)].map(([, word = ""]) => word);
}

function lineLengths(sources: readonly Source[]): string {
  const lengths = sources
    .filter(({ path }) => path.endsWith(".ts"))
    .flatMap(({ text }) => text.split("\n").filter((line) => line.trim() !== ""))
    .map((line) => line.length)
    .toSorted((a, b) => a - b);
  return `${lengths[Math.floor(lengths.length / 2)] ?? 0}, ${lengths.at(-1) ?? 0}`;
}

function number(value: number): string {
  return value.toLocaleString("en");
}

function linesOf(sources: readonly Source[]): number {
  return sum(sources.map(({ text }) => text.split("\n").length - 1));
}

function megabytesOf(sources: readonly Source[]): string {
  return (sum(sources.map(({ text }) => Buffer.byteLength(text))) / 1e6).toFixed(4);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}

function percent(share: number): string {
  return `${(share * 100).toFixed(0)} %`;
}

function figuresAt(commit: string): Record<string, string> {
  const folder = mkdtempSync(join(tmpdir(), "bellwire-house-"));
  try {
    const archive = execFileSync("git", ["archive", commit], { cwd: ROOT, maxBuffer: 1024 ** 3 });
    execFileSync("tar", ["-x", "-C", folder], { input: archive });
    // Files that git tracks are asked of git.
    execFileSync("git", ["init", "--quiet"], { cwd: folder });
    execFileSync("git", ["add", "--all", "--force"], { cwd: folder });
    return readFigures(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
