/**
 * Reads a file that somebody named, whole and within a bound: a path may lead to what has no end, such as `/dev/zero`,
 * or to a pipe that nobody writes to.
 */
import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";

export interface BoundedFile {
  /** One more than the bound when the file is larger. */
  readonly bytes: Buffer;
  /** What the system says of its length. */
  readonly size: number;
  readonly mode: number;
}

/** The border to calls that throw for expected input: it throws their errors, and `ENOTFILE` for what is no file. */
export function readBounded(path: string, bytesMax: number, takesPipes = false): BoundedFile {
  // Without `O_NONBLOCK`, opening a pipe without a writer would never return.
  const flags = takesPipes ? constants.O_RDONLY : constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);
  const file = openSync(path, flags);
  try {
    const status = fstatSync(file);
    // To read a folder fails with EISDIR.
    if (!status.isFile() && !status.isDirectory() && !takesPipes) throw noFile();
    return { bytes: readAll(file, bytesMax + 1), size: status.size, mode: status.mode };
  } finally {
    closeSync(file);
  }
}

const noFile = (): Error => Object.assign(new Error("it is no regular file"), { code: "ENOTFILE" });

const PART_BYTES = 64 * 1024;

function readAll(file: number, bytesMax: number): Buffer {
  const parts: Buffer[] = [];
  for (let left = bytesMax; left > 0;) {
    const part = Buffer.alloc(Math.min(left, PART_BYTES));
    const count = readSync(file, part);
    if (count === 0) break;
    parts.push(part.subarray(0, count));
    left -= count;
  }
  return Buffer.concat(parts);
}
