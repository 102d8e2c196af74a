/** A folder that is gone when the test ends. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface Folder extends Disposable {
  readonly path: string;
}

export function newFolder(): Folder {
  const path = mkdtempSync(join(tmpdir(), "bellwire-e2e-"));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}
