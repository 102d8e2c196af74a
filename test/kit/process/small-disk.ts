/** A disk of a few megabytes, to be filled: a tmpfs, which takes the right to mount. */
import { spawnSync } from "node:child_process";
import { closeSync, mkdirSync, openSync, writeSync } from "node:fs";

/** `null` where this may not be done. */
export function mountSmallDisk(path: string, megabytes = 16): Disposable | null {
  mkdirSync(path);
  const { status } = spawnSync("mount", ["-t", "tmpfs", "-o", `size=${megabytes}m`, "tmpfs", path]);
  if (status !== 0) return null;
  // Lazily, because a killed service may let go of its files a moment later.
  return { [Symbol.dispose]: () => void spawnSync("umount", ["-l", path]) };
}

export function enlargeDisk(path: string, megabytes: number): void {
  spawnSync("mount", ["-o", `remount,size=${megabytes}m`, path]);
}

/** Until not one byte more goes in; a file that is there already grows. */
export function fillUp(path: string): void {
  const file = openSync(path, "a");
  try {
    for (let bytes = 1024 * 1024; bytes >= 1; bytes /= 2) writeWhileThereIsRoom(file, Buffer.alloc(bytes));
  } finally {
    closeSync(file);
  }
}

function writeWhileThereIsRoom(file: number, chunk: Buffer): void {
  try {
    while (writeSync(file, chunk) === chunk.length);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOSPC") throw error;
  }
}
