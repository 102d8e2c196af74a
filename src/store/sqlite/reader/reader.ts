/**
 * The caller's end of the thread that reads. It is started by the first read: a service that nobody looks at has none.
 * One that has ended is started again by the next read, because it holds nothing.
 */
import { type CallAccess, settle } from "../../calls.ts";
import { StoreUnavailable } from "../../contract/store.ts";
import type { AttemptColumns } from "../attempts.ts";
import { startThread, type Thread } from "../thread.ts";
import type { FromReader, ReadCall, ReaderStart, ToReader } from "./reader-thread.ts";

export interface Reader {
  read(call: ReadCall): ReturnType<CallAccess<AttemptColumns>["call"]>;
  /** Everything asked before is answered first; then the file is closed. */
  close(): Promise<void>;
}

/** Guess. More would only be answered after their callers have given up. */
const READS_WAITING_MAX = 1_000;

export function createReader(start: ReaderStart): Reader {
  let thread: Thread<ToReader, FromReader> | null = null;
  let waiting = 0;

  const startReading = (): Thread<ToReader, FromReader> =>
    startThread({
      file: new URL("./reader-thread.ts", import.meta.url),
      name: "reader",
      start,
      advice: "ask again",
      onEnd: () => (thread = null),
    });

  return {
    async read(call) {
      if (waiting >= READS_WAITING_MAX) throw new StoreUnavailable(`${READS_WAITING_MAX} reads already wait`);
      waiting += 1;
      try {
        thread ??= startReading();
        const reply = await thread.post({ kind: "read", call });
        return await new Promise((resolve, reject) =>
          settle({ resolve, reject }, reply.kind === "read" ? reply.answer : undefined),
        );
      } finally {
        waiting -= 1;
      }
    },
    async close() {
      const ended = thread?.ended;
      // A dead one has let go of the file already.
      await thread?.post({ kind: "close" }).catch(() => {});
      await ended;
    },
  };
}
