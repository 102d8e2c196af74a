/**
 * A thread that answers each message with one message, in order. What waits for one that has ended is rejected with the
 * reason.
 */
import { Worker } from "node:worker_threads";
import { StoreUnavailable } from "../contract/store.ts";

export interface Thread<To, From> {
  /** `null` stands for the start itself, which some threads answer. */
  post(message: To | null): Promise<From>;
  /** Resolves when it has ended, and let go of its file. */
  readonly ended: Promise<void>;
}

export interface StartThread {
  readonly file: URL;
  /** As its end is told, and as debuggers list it. */
  readonly name: string;
  /** What it is given at its start. */
  readonly start: unknown;
  /** What helps when it has ended. */
  readonly advice: string;
  /** Called when it has ended, after all that wait were told. */
  readonly onEnd: (reason: StoreUnavailable) => void;
}

export function startThread<To, From extends object>({
  file,
  name,
  start,
  advice,
  onEnd,
}: StartThread): Thread<To, From> {
  // No options of the process: some of them, such as --input-type, stop a thread from starting.
  const worker = new Worker(file, { workerData: start, name, execArgv: [] });
  const ended = Promise.withResolvers<void>();
  const waiters: PromiseWithResolvers<From>[] = [];
  let death: StoreUnavailable | null = null;
  let fault: unknown;
  worker.on("message", (message: From | object) => {
    // Under `node --watch` Node tells by this way, too, which files the thread has loaded.
    if ("kind" in message) waiters.shift()?.resolve(message as From);
  });
  worker.on("error", (error) => (fault = error));
  worker.on("messageerror", (error) => {
    fault = error;
    void worker.terminate();
  });
  // Not at the fault already: the file and its lock are free only when the thread is gone.
  worker.on("exit", (code) => {
    const reason = fault instanceof Error ? fault.message : `exit code ${code}`;
    const message = `the store's ${name} thread has ended (${reason}); ${advice}`;
    death = new StoreUnavailable(message, { cause: fault });
    for (const waiter of waiters.splice(0)) waiter.reject(death);
    ended.resolve();
    onEnd(death);
  });
  return {
    ended: ended.promise,
    post(message) {
      if (death !== null) return Promise.reject(death);
      // First, because it throws for what cannot be cloned, and then nothing will come back.
      if (message !== null) worker.postMessage(message);
      const waiter = Promise.withResolvers<From>();
      waiters.push(waiter);
      return waiter.promise;
    },
  };
}
