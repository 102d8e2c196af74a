/**
 * `npm run release [folder]`: everything that is published of one commit, by default into dist/release: the archive of
 * the program, the package for receivers and back ends, the chart, the bill of materials, the provenance and the sums.
 * The same commit gives the same bytes. `--program folder` lays out the program alone, for the image.
 */
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { buildPackage } from "../package-build.ts";
import { packFolder, sha256 } from "./archive.ts";
import { type Made, billOfMaterials, provenance, readMade } from "./bill.ts";
import { layOutProgram } from "./program.ts";

const ROOT = join(import.meta.dirname, "..", "..");
const SUMS = "SHA256SUMS";
/** What an earlier one has left, which is replaced. */
const OURS = /^(?:bellwire-.+\.t(?:ar\.)?gz|bom\.cdx\.json|provenance\.json|SHA256SUMS)$/;

const [first = join(ROOT, "dist", "release"), second] = process.argv.slice(2);
if (first === "--program") {
  if (second === undefined) throw new Error("--program takes the folder to lay the program out in");
  await layOutProgram(resolve(second), readMade(ROOT).commitSeconds);
} else {
  await release(resolve(first));
}

async function release(folder: string): Promise<void> {
  const made = readMade(ROOT);
  const other = (existsSync(folder) ? readdirSync(folder) : []).find((name) => !OURS.test(name));
  if (other !== undefined) throw new Error(`${folder} has something else in it than a release: ${other}`);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const work = mkdtempSync(join(tmpdir(), "bellwire-release-"));
  try {
    await packProgram(made, { work, folder });
    packPackage(made, { work, folder });
    packChart(made, { work, folder });
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
  writeJson(join(folder, "bom.cdx.json"), billOfMaterials(made));
  writeJson(join(folder, "provenance.json"), provenance(made, sums(folder)));
  const lines = [...sums(folder)].map(([name, sum]) => `${sum}  ${name}\n`);
  writeFileSync(join(folder, SUMS), lines.join(""));
  process.stdout.write(lines.join(""));
  if (made.isDirty) process.stderr.write("The checkout has changes that are in no commit: do not publish this.\n");
}

interface Places {
  readonly work: string;
  readonly folder: string;
}

async function packProgram({ version, commitSeconds }: Made, { work, folder }: Places): Promise<void> {
  const program = join(work, `bellwire-${version}`);
  await layOutProgram(program, commitSeconds);
  packFolder(program, join(folder, `bellwire-${version}.tar.gz`), commitSeconds);
}

/** As npm packs it: below a folder "package". */
function packPackage({ version, commitSeconds }: Made, { work, folder }: Places): void {
  buildPackage(join(work, "package"));
  packFolder(join(work, "package"), join(folder, `bellwire-npm-${version}.tgz`), commitSeconds);
}

/** As Helm packs it: below a folder of the chart's name. */
function packChart({ version, commitSeconds }: Made, { work, folder }: Places): void {
  cpSync(join(ROOT, "ops", "helm", "bellwire"), join(work, "bellwire"), { recursive: true });
  packFolder(join(work, "bellwire"), join(folder, `bellwire-chart-${version}.tgz`), commitSeconds);
}

/** SHA-256 by name, of every file that is there. */
function sums(folder: string): ReadonlyMap<string, string> {
  const names = readdirSync(folder).toSorted();
  return new Map(names.map((name) => [name, sha256(join(folder, name))]));
}

function writeJson(file: string, value: unknown): void {
  writeFileSync(file, `${JSON.stringify(value, null, 2)}\n`);
}
