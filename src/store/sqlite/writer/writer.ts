/**
 * The caller's end of the writer thread: sends batches, matches answers, and turns the thread's death into rejections.
 *
 * A dead thread is not started again: it died of a fault of ours, and going on from an unknown state is worse than a
 * restart. Each of its calls rejects with the reason, readiness fails, and the process ends, so that its supervisor
 * starts another one.
 */
import { StoreUnavailable, StoreUnusable } from "../../contract/store.ts";
import type { Answer, Call } from "../../calls.ts";
import type { AttemptColumns } from "../attempts.ts";
import { startThread } from "../thread.ts";
import type { FromWriter, ToWriter, WriterStart } from "./writer-thread.ts";

export interface Writer {
  /** One batch, one transaction. Rejects with `StoreUnavailable` only when the thread is gone. */
  commit(calls: readonly Call<AttemptColumns>[]): Promise<readonly Answer[]>;
  /** Everything sent before is answered first; then the file is closed and its lock is free. */
  close(): Promise<void>;
}

/** Rejects with `StoreUnusable` or `StoreUnavailable` when the file cannot be opened. `onDeath`: it ended by itself. */
export async function startWriter(start: WriterStart, onDeath: (reason: Error) => void): Promise<Writer> {
  let isClosing = false;
  const { post, ended } = startThread<ToWriter, FromWriter>({
    file: new URL("./writer-thread.ts", import.meta.url),
    name: "writer",
    start,
    advice: "restart the service",
    onEnd: (reason) => isClosing || onDeath(reason),
  });
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
      // A dead one has let go of the file already.
      await post({ kind: "close" }).catch(() => {});
      await ended;
    },
  };
}
