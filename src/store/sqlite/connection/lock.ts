/**
 * One process for one database file. The lock is SQLite's own, on an empty database beside the file: the operating
 * system frees it when its process dies, however it dies, so no stale lock is left to clean up by hand.
 *
 * Beside and not on the file itself, so that a person's database tool can still read while the service runs.
 */
import { closeSync, openSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { StoreUnusable } from "../../contract/store.ts";
import { faultCode } from "../../../lib/file-fault.ts";
import { openNewFile } from "../../../lib/new-file.ts";
import { isBusy } from "../failures.ts";

export const LOCK_SUFFIX = ".lock";

/** Takes the lock of `path` until disposed. Throws `StoreUnusable` when another holder has it. */
export function lockDatabase(path: string): Disposable {
  const file = `${path}${LOCK_SUFFIX}`;
  // Made here, as SQLite would let others read it. Nothing is in it, but a process that can open it can hold the lock.
  makeOnce(file, path);
  const lock = new DatabaseSync(file);
  try {
    lock.exec("pragma locking_mode = exclusive");
    lock.exec("begin exclusive");
  } catch (error) {
    lock.close();
    if (!isBusy(error)) throw error;
    throw new StoreUnusable(
      `${path} is used by another Bellwire process: a file serves one at a time; stop that one, or use PostgreSQL`,
      { cause: error },
    );
  }
  return { [Symbol.dispose]: () => lock.close() };
}

/** One that is there only has to let this user in. */
function makeOnce(file: string, path: string): void {
  try {
    closeSync(openNewFile(file, path));
  } catch (error) {
    if (faultCode(error) !== "EEXIST") throw error;
    closeSync(openSync(file, "a"));
  }
}
