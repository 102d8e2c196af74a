/** The project's own TypeScript, read from a folder. */
import { execFileSync } from "node:child_process";
import { existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";

export interface Source {
  /** From the project's root, with forward slashes. */
  readonly path: string;
  readonly text: string;
}

const OURS = "{src,web,bridge,test,e2e,sim,bench,chaos,tools,examples}/**/*.{ts,tsx}";

export function readSources(root: string): Source[] {
  const skipped = (path: string): boolean => /(?:^|[\\/])(?:node_modules|golden|dist|\.build-[\w-]+)$/.test(path);
  return globSync(OURS, { cwd: root, exclude: skipped })
    .map((path) => path.replaceAll("\\", "/"))
    .toSorted()
    .map((path) => ({ path, text: readFileSync(join(root, path), "utf8") }));
}

/** Every file that git tracks, with its bytes. */
export function listTracked(root: string): (Source & { readonly bytes: Uint8Array })[] {
  const paths = execFileSync("git", ["ls-files", "-z"], { cwd: root, encoding: "utf8" }).split("\0");
  return paths
    .filter((path) => path !== "" && existsSync(join(root, path)))
    .map((path) => ({ path, bytes: readFileSync(join(root, path)) }))
    .map(({ path, bytes }) => ({ path, bytes, text: bytes.toString("utf8") }));
}

/** Code that runs in production, and its SQL. What is written by a command is no work to read, and so none to count. */
export const isProduct = ({ path, text }: Source): boolean =>
  /\.(?:ts|tsx|sql)$/.test(path) &&
  !/\.(?:test|kit)\.tsx?$|\/(?:conformance|golden)\//.test(path) &&
  !text.slice(0, 200).includes("Written by `npm run");
