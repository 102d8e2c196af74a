/**
 * How heavy the page is, against what it may weigh: "first load at most 100 KB of script gzip, CSS at most
 * 12 KB". Read from Vite's manifest, which says which chunk imports which. A KB is 1,024 bytes, as in our measurements.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";

export interface Budget {
  readonly name: string;
  readonly kb: number;
  readonly kbMax: number;
}

interface Chunk {
  readonly file: string;
  readonly css?: readonly string[];
  /** Keys of the manifest. */
  readonly imports?: readonly string[];
}

type Manifest = Readonly<Record<string, Chunk>>;

const SCRIPT_KB_MAX = 100;
const CSS_KB_MAX = 12;
const ENTRY = "index.html";
/** Where a reader lands: its chunk belongs to the first load. */
const FIRST_ROUTE = "pages/overview.tsx";

export function readBudgets(dist: string): readonly Budget[] {
  const manifest = JSON.parse(readFileSync(join(dist, ".vite", "manifest.json"), "utf8")) as Manifest;
  const weigh = (files: Iterable<string>): number =>
    [...files].reduce((kb, file) => kb + gzipSync(readFileSync(join(dist, file)), { level: 9 }).length / 1024, 0);
  const entry = findScripts(manifest, ENTRY);
  const routes = Object.keys(manifest).filter((key) => key.startsWith("pages/"));
  const css = new Set(Object.values(manifest).flatMap((chunk) => chunk.css ?? []));
  return [
    {
      name: "script, first load",
      kb: weigh(new Set([...entry, ...findScripts(manifest, FIRST_ROUTE)])),
      kbMax: SCRIPT_KB_MAX,
    },
    ...routes.map((key) => ({
      name: `script, ${key.replace(/^pages\/|\.tsx$/g, "")}`,
      kb: weigh(findScripts(manifest, key).difference(entry)),
      kbMax: SCRIPT_KB_MAX,
    })),
    { name: "styles", kb: weigh(css), kbMax: CSS_KB_MAX },
  ];
}

/** A chunk's file and those of all that it imports statically. */
function findScripts(manifest: Manifest, key: string, found = new Set<string>()): Set<string> {
  const chunk = manifest[key];
  if (chunk === undefined) throw new Error(`The build has no chunk for ${key}: was it renamed?`);
  if (found.has(chunk.file)) return found;
  found.add(chunk.file);
  for (const imported of chunk.imports ?? []) findScripts(manifest, imported, found);
  return found;
}
