/** Folders that are gone when a test or a bench ends. */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface Folder extends Disposable {
  readonly path: string;
}

export function newFolder(): Folder {
  const path = mkdtempSync(join(tmpdir(), "bellwire-e2e-"));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}

/**
 * For a bench: beside the code unless told otherwise, so that its databases lie on a real disk. Removed when the
 * process ends, also by an error or Ctrl-C.
 */
export function newDiskFolder(name: string, root: string = join(import.meta.dirname, "..", "..", "data")): string {
  mkdirSync(root, { recursive: true });
  const folder = mkdtempSync(join(root, `bench-${name}-`));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
