/** The project's own TypeScript, read from a folder. */
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";

export interface Source {
  /** From the project's root, with forward slashes. */
  readonly path: string;
  readonly text: string;
}

const OURS = "{src,web,test,e2e,sim,bench,chaos,tools,examples}/**/*.{ts,tsx}";

export function readSources(root: string): Source[] {
  const skipped = (path: string): boolean => /(?:^|[\\/])(?:node_modules|golden|dist|\.build-[\w-]+)$/.test(path);
  return globSync(OURS, { cwd: root, exclude: skipped })
    .map((path) => path.replaceAll("\\", "/"))
    .toSorted()
    .map((path) => ({ path, text: readFileSync(join(root, path), "utf8") }));
}
