/**
 * The thread that copies the write-ahead log into the database while the writer goes on committing (see
 * `checkpoints.ts`). It has a connection of its own, and neither reads nor changes a row.
 *
 * Plain JavaScript, because taking types out of a file needs 20 MB of memory in each thread that does it (measured).
 */
import { DatabaseSync } from "node:sqlite";
import { parentPort, workerData } from "node:worker_threads";

/**
 * The log grows while it is copied. Each pass has about a tenth of the one before it to do, so that after the second
 * one next to nothing is left.
 */
const PASSES = 2;

const database = new DatabaseSync(workerData.path);
// The copy must be on disk before the log is written over.
database.exec("pragma synchronous = full");
const copy = database.prepare("pragma wal_checkpoint(passive)");

parentPort?.on("message", (/** @type {import("./checkpoints.ts").ToCheckpoint} */ message) => {
  if (message === "copy") {
    copyLog();
    return parentPort?.postMessage("copied");
  }
  database.close();
  parentPort?.close();
});

/** A full or failing disk leaves the log as it is; it is copied again when it has grown. */
function copyLog() {
  try {
    for (let pass = 0; pass < PASSES; pass += 1) copy.get();
  } catch {
    return;
  }
}
