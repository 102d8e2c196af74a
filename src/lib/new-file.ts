/** Makes files that are their owner's alone. What root makes beside a service's file is the service user's. */
import { existsSync, fchownSync, openSync, statSync } from "node:fs";
import { dirname } from "node:path";

export interface Owner {
  readonly uid: number;
  readonly gid: number;
}

/** Opens the new file `path` for writing, as the file `beside` is owned. Throws where something is in its place. */
export function openNewFile(path: string, beside: string): number {
  const owner = findOwner(beside);
  const file = openSync(path, "wx", 0o600);
  if (owner === null) return file;
  try {
    // By the open file: its name may lead elsewhere by now.
    fchownSync(file, owner.uid, owner.gid);
  } catch {
    // A share or a FAT disk, which has no owners.
  }
  return file;
}

/** Who gets what is made beside `path`; `null` is who runs this: only root can give a file away. */
export function findOwner(path: string): Owner | null {
  if (process.getuid?.() !== 0) return null;
  const { uid, gid } = statSync(existsSync(path) ? path : dirname(path));
  return { uid, gid };
}
