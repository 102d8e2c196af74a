/**
 * The thread that writes the database file, so that a slow sync stops no request: one connection, one batch at a time.
 * It answers each message with one message, in order, and ends when told to. A fault outside a batch ends the thread,
 * which `writer.ts` reports to every caller.
 */
import { parentPort, workerData } from "node:worker_threads";
import type { Declaration } from "../../../events/declared/declaration.ts";
import { createEventTypes } from "../../../events/event-types.ts";
import { assert } from "../../../lib/assert.ts";
import { systemClock } from "../../../lib/clock.ts";
import { StoreUnusable } from "../../contract/store.ts";
import type { Answer, Call } from "../../calls.ts";
import type { AttemptColumns } from "../attempts.ts";
import { commitCalls } from "../commit.ts";
import { checkpointPages } from "../connection/connection.ts";
import type { ReadGate } from "../reader/read-gate.ts";
import { type Checkpoints, createCheckpoints } from "./checkpoints.ts";
import { type DatabaseFile, openDatabaseFile } from "./database-file.ts";

export interface WriterStart {
  readonly path: string;
  readonly nowMs: number;
  /** Of event types beside those that are built in. */
  readonly declarations: readonly Declaration[];
  readonly gate: ReadGate;
}

export type ToWriter =
  | { readonly kind: "batch"; readonly calls: readonly Call<AttemptColumns>[] }
  | { readonly kind: "close" };

export type FromWriter =
  | { readonly kind: "opened" }
  | { readonly kind: "refused"; readonly isUnusable: boolean; readonly message: string; readonly cause: unknown }
  | { readonly kind: "batch"; readonly answers: readonly Answer[] }
  | { readonly kind: "closed" };

const port = parentPort;
assert(port !== null, "writer-thread.ts runs in a worker thread only");
const send = (message: FromWriter): void => port.postMessage(message);

const startedWith = workerData as WriterStart;
const opened = open(startedWith);
if (opened !== null) {
  let last: Promise<void> = Promise.resolve();
  const between = (step: () => void | Promise<void>): void => {
    last = last.then(step);
  };
  const { path, gate } = startedWith;
  const pagesMax = checkpointPages(path);
  const checkpoints = createCheckpoints(opened.db, { path, pagesMax, gate, clock: systemClock, between });
  port.on("message", (message: ToWriter) => between(() => work({ file: opened, checkpoints }, message)));
  send({ kind: "opened" });
}

/** `null`: refused, and said so; with no listener on its port the thread ends by itself. */
function open(start: WriterStart): DatabaseFile | null {
  try {
    const file = openDatabaseFile(start);
    file.db.types = createEventTypes(start.declarations);
    return file;
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const cause = error instanceof Error ? error.cause : undefined;
    send({ kind: "refused", isUnusable: error instanceof StoreUnusable, message, cause });
    return null;
  }
}

interface Opened {
  readonly file: DatabaseFile;
  readonly checkpoints: Checkpoints;
}

async function work({ file, checkpoints }: Opened, message: ToWriter): Promise<void> {
  if (message.kind === "batch") {
    send({ kind: "batch", answers: await commitCalls(file.db, message.calls) });
    return checkpoints.afterCommit();
  }
  await checkpoints.stop();
  file[Symbol.dispose]();
  send({ kind: "closed" });
  port?.close();
}
