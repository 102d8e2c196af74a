/** A folder for one run of a bench: beside the code, so that databases lie on a real disk, unless told otherwise. */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";

/** Removed at the end, also when that is an error or Ctrl-C. */
export function newFolder(name: string, root: string = join(import.meta.dirname, "..", "data")): string {
  mkdirSync(root, { recursive: true });
  const folder = mkdtempSync(join(root, `bench-${name}-`));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
