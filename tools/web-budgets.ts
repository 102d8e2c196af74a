/**
 * How heavy the page is, against what it may weigh: "first load at most 100 KB of script gzip, CSS at most
 * 12 KB". Read from the build's own account (web/scripts-plugin.ts). A KB is 1,024 bytes, as in our measurements.
 */
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { type Scripts, SCRIPTS_FILE } from "../web/scripts-plugin.ts";

export interface Budget {
  readonly name: string;
  readonly kb: number;
  readonly kbMax: number;
}

const SCRIPT_KB_MAX = 100;
const CSS_KB_MAX = 12;
const STILL_CSS_KB_MAX = 4;
/** Where a reader lands: its chunk belongs to the first load. */
const FIRST_ROUTE = "overview";

export function readBudgets(dist: string): readonly Budget[] {
  const scripts = JSON.parse(readFileSync(join(dist, SCRIPTS_FILE), "utf8")) as Scripts;
  const { main: entry = [], ...pages } = scripts;
  const weigh = (files: Iterable<string>): number =>
    [...files].reduce((kb, file) => kb + gzipSync(readFileSync(join(dist, file)), { level: 9 }).length / 1024, 0);
  const weighStyles = (name: string): number => weigh(globSync(`assets/${name}-*.css`, { cwd: dist }));
  return [
    { name: "script, first load", kb: weigh(new Set([...entry, ...(pages[FIRST_ROUTE] ?? [])])), kbMax: SCRIPT_KB_MAX },
    ...Object.entries(pages).map(([name, files]) => ({
      name: `script, ${name}`,
      kb: weigh(new Set(files).difference(new Set(entry))),
      kbMax: SCRIPT_KB_MAX,
    })),
    { name: "styles", kb: weighStyles("main"), kbMax: CSS_KB_MAX },
    { name: "styles, first paint", kb: weighStyles("still"), kbMax: STILL_CSS_KB_MAX },
  ];
}
