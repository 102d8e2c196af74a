/**
 * The caller's end of the writer thread: sends batches, matches answers, and turns the thread's death into rejections.
 *
 * A dead thread is not started again: it died of a fault of ours, and going on from an unknown state is worse than a
 * restart. Every call rejects with the reason, readiness fails, and the process ends, so that its supervisor starts
 * another one.
 */
import { Worker } from "node:worker_threads";
import { StoreUnavailable, StoreUnusable } from "../../contract/store.ts";
import type { Answer, Call } from "../../calls.ts";
import type { AttemptColumns } from "../attempts.ts";
import type { FromWriter, ToWriter, WriterStart } from "./writer-thread.ts";

export interface Writer {
  /** One batch, one transaction. Rejects with `StoreUnavailable` only when the thread is gone. */
  commit(calls: readonly Call<AttemptColumns>[]): Promise<readonly Answer[]>;
  /** Everything sent before is answered first; then the file is closed and its lock is free. */
  close(): Promise<void>;
}

type Waiter = PromiseWithResolvers<FromWriter>;

/** Rejects with `StoreUnusable` or `StoreUnavailable` when the file cannot be opened. `onDeath`: it ended by itself. */
export async function startWriter(start: WriterStart, onDeath: (reason: Error) => void): Promise<Writer> {
  // No options of the process: some of them, such as --input-type, stop a thread from starting.
  const options = { workerData: start, name: "store", execArgv: [] };
  const worker = new Worker(new URL("./writer-thread.ts", import.meta.url), options);
  let isClosing = false;
  const post = exchange(worker, (reason) => isClosing || onDeath(reason));
  const opened = await post(null);
  if (opened.kind === "refused") {
    const { isUnusable, message, cause } = opened;
    isClosing = true;
    throw isUnusable ? new StoreUnusable(message, { cause }) : new StoreUnavailable(message, { cause });
  }
  return {
    async commit(calls) {
      const reply = await post({ kind: "batch", calls });
      return reply.kind === "batch" ? reply.answers : [];
    },
    async close() {
      isClosing = true;
      const exited = new Promise((resolve) => worker.once("exit", resolve));
      // A dead one has let go of the file already.
      await post({ kind: "close" }).then(
        () => exited,
        () => {},
      );
    },
  };
}

/** Messages out, and for each (`null` stands for the start itself) the one that comes back, in order. */
function exchange(worker: Worker, onEnd: (reason: Error) => void): (message: ToWriter | null) => Promise<FromWriter> {
  const waiters: Waiter[] = [];
  let death: StoreUnavailable | null = null;
  let fault: unknown;
  worker.on("message", (message: FromWriter | object) => {
    // Under `node --watch` Node tells by this way, too, which files the thread has loaded.
    if ("kind" in message) waiters.shift()?.resolve(message);
  });
  worker.on("error", (error) => (fault = error));
  worker.on("messageerror", (error) => {
    fault = error;
    void worker.terminate();
  });
  // Not at the fault already: the file and its lock are free only when the thread is gone.
  worker.on("exit", (code) => {
    const reason = fault instanceof Error ? fault.message : `exit code ${code}`;
    const message = `the store's writer thread has ended (${reason}); restart the service`;
    death = new StoreUnavailable(message, { cause: fault });
    for (const waiter of waiters.splice(0)) waiter.reject(death);
    onEnd(death);
  });
  return (message) => {
    if (death !== null) return Promise.reject(death);
    // First, because it throws for what cannot be cloned, and then nothing will come back.
    if (message !== null) worker.postMessage(message);
    const waiter: Waiter = Promise.withResolvers();
    waiters.push(waiter);
    return waiter.promise;
  };
}
