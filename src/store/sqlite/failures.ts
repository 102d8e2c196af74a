/**
 * SQLite's errors, sorted: the disk or the file (waiting may help, nothing was committed) or a fault of ours.
 * Messages carry SQLite's own short text and code, never values.
 */

/** Primary result codes that say the database cannot be read or written now: sqlite.org/rescode.html. */
const STORAGE_CODES = new Set([
  3, // perm
  5, // busy
  6, // locked
  7, // nomem
  8, // readonly
  9, // interrupt
  10, // ioerr
  11, // corrupt
  13, // full
  14, // cantopen
  15, // protocol
  26, // notadb
]);

const CODE_BUSY = 5;
const CODE_FULL = 13;
const DAMAGE_CODES = new Set([11, 26]);

/** Missing folders and rights, as SQLite and as the file system says it: time does not mend them. */
const FORBIDDEN_CODES = new Set([3, 8, 14]);
const FORBIDDEN_NAMES = new Set([
  "EACCES",
  "EPERM",
  "EROFS",
  "EEXIST",
  "ENOENT",
  "ENOTDIR",
  "EISDIR",
  "ENAMETOOLONG",
  "ELOOP",
]);

/** The primary result code, or `null` when the error is not SQLite's. */
function primaryCode(error: unknown): number | null {
  if (!(error instanceof Error) || !("errcode" in error) || typeof error.errcode !== "number") return null;
  // The low byte is the primary code; the rest says more about it.
  return error.errcode & 0xff;
}

export const isStorageFailure = (error: unknown): boolean => STORAGE_CODES.has(primaryCode(error) ?? -1);
export const isBusy = (error: unknown): boolean => primaryCode(error) === CODE_BUSY;
export const isFull = (error: unknown): boolean =>
  primaryCode(error) === CODE_FULL || (error instanceof Error && "code" in error && error.code === "ENOSPC");
export const isDamage = (error: unknown): boolean => DAMAGE_CODES.has(primaryCode(error) ?? -1);

export function isForbidden(error: unknown): boolean {
  if (FORBIDDEN_CODES.has(primaryCode(error) ?? -1)) return true;
  return error instanceof Error && "code" in error && FORBIDDEN_NAMES.has(String(error.code));
}

/** Such as `database or disk is full (SQLite error 13)`. */
export function describeFailure(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (!("errcode" in error) || !("errstr" in error)) return error.message;
  return `${String(error.errstr)} (SQLite error ${String(error.errcode)})`;
}
