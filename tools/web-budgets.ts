/**
 * How heavy the page is, against what it may weigh: "first load at most 130 KB of script gzip, a page's own at most
 * 104, CSS at most 12 KB". Read from the build's own account (web/scripts-plugin.ts). A KB is 1,024 bytes, as in our
 * measurements.
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

/** With the overview's figures and list: before they were counted they came late, and brought 70 KB of others along. */
const FIRST_KB_MAX = 130;
const SCRIPT_KB_MAX = 104;
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
    { name: "script, first load", kb: weigh(new Set([...entry, ...(pages[FIRST_ROUTE] ?? [])])), kbMax: FIRST_KB_MAX },
    ...Object.entries(pages).map(([name, files]) => ({
      name: `script, ${name}`,
      kb: weigh(new Set(files).difference(new Set(entry))),
      kbMax: SCRIPT_KB_MAX,
    })),
    { name: "styles", kb: weighStyles("main"), kbMax: CSS_KB_MAX },
    { name: "styles, first paint", kb: weighStyles("still"), kbMax: STILL_CSS_KB_MAX },
  ];
}
