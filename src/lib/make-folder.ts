/** Makes a folder and those above it. Node's own way never returns where the system lets nobody make one (/proc). */
import { existsSync, mkdirSync, statSync } from "node:fs";
import { dirname } from "node:path";

/** Makes a folder that only its owner may read. One that exists stays as it is. Throws as `mkdirSync` does. */
export function makeFolder(path: string): void {
  if (isFolder(path)) return;
  const above = dirname(path);
  if (above !== path && !existsSync(above)) makeFolder(above);
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (cause) {
    // Another process that starts at this moment may have made it.
    if (!isFolder(path)) throw cause;
  }
}

const isFolder = (path: string): boolean => existsSync(path) && statSync(path).isDirectory();
