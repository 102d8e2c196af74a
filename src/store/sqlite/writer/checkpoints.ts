/**
 * Keeps checkpoints out of the way of commits. SQLite makes one in the commit that finds the log long, and that commit,
 * with all that waits behind it, takes 15 to 45 ms longer. Here another thread copies the log while commits go on, and
 * the thread that commits copies the few pages that came meanwhile:
 *
 *     commits ──log is long, "copy"──► the other thread copies, commits go on ──"copied"──► the rest is copied at once,
 *        ▲                                                                                   and the log begins anew
 *        └────────────────────────────────────────────────────────────────────────────────────────────┘
 *
 * SQLite's own way stays as the fallback, for a log that gets half as long again (`connection.ts`).
 *
 * A log that may have bytes of an erased person (`Connection.cutsOffLog`) is copied in the same way however short it
 * is, and then cut off. Who reads it, as a backup does for minutes, is in the way: it is tried until it is done.
 */
import { Worker } from "node:worker_threads";
import type { CancelTimer, Clock } from "../../../lib/clock.ts";
import type { Connection } from "../connection/connection.ts";
import { cutOffLog } from "../erase.ts";
import { closeReads, openReads, type ReadGate } from "../reader/read-gate.ts";

/** The thread answers "copy" with "copied", and "close" by ending. */
export type ToCheckpoint = "copy" | "close";

export interface Checkpoints {
  /** To be called between two transactions, after each. */
  afterCommit(): void;
  /** Resolves when the other connection to the file is closed; then the last one to close it writes the log back. */
  stop(): Promise<void>;
}

export interface CheckpointsOptions {
  readonly path: string;
  /** A log of more pages is copied. */
  readonly pagesMax: number;
  /** Of those who read it (`../reader/read-gate.ts`). */
  readonly gate: ReadGate;
  readonly clock: Pick<Clock, "after" | "monotonicMs">;
  /** Runs `work` when no transaction is open. */
  readonly between: (work: () => void) => void;
}

/** A look takes some 10 µs, and at full load the log grows by less than 1,000 pages from one to the next. */
const LOOK_EVERY_MS = 50;

/** Twice as long after each try. Guesses: Litestream lets go of the log for a moment only, and each try may sync. */
const CUT_OFF_AFTER_MS = 1_000;
const CUT_OFF_AFTER_MS_MAX = 32_000;

export function createCheckpoints(db: Connection, options: CheckpointsOptions): Checkpoints {
  const { path, pagesMax, gate, clock, between } = options;
  let lookedMs = clock.monotonicMs();
  let copier: Copier | null = null;
  let isCopying = false;
  let isCopierGone = false;
  let isStopped = false;
  let waitMs = CUT_OFF_AFTER_MS;
  let cancelTry: CancelTimer | null = null;

  const isDue = (): boolean => {
    const nowMs = clock.monotonicMs();
    if (isCopying || nowMs - lookedMs < LOOK_EVERY_MS) return false;
    lookedMs = nowMs;
    return measureLog(db, "noop") > pagesMax;
  };
  const copy = (): void => {
    isCopying = true;
    copier ??= startCopier(path, { onCopied: () => between(finish), onGone: openForGood });
    if (!isCopierGone) closeReads(gate);
    copier.copy();
  };
  const openForGood = (): void => {
    isCopierGone = true;
    openReads(gate);
  };
  const finish = (): void => {
    isCopying = false;
    if (isStopped) return;
    if (db.cutsOffLog) cutOffLog(db);
    else measureLog(db, "passive");
    openReads(gate);
  };
  const planCutOff = (): void => {
    if (!db.cutsOffLog) waitMs = CUT_OFF_AFTER_MS;
    if (!db.cutsOffLog || cancelTry !== null) return;
    cancelTry = clock.after(waitMs, () => between(tryCutOff));
    waitMs = Math.min(2 * waitMs, CUT_OFF_AFTER_MS_MAX);
  };
  const tryCutOff = (): void => {
    cancelTry = null;
    if (isStopped || !db.cutsOffLog) return;
    // A copier that has not answered by now may be dead.
    if (isCopying) cutOffLog(db);
    else copy();
    planCutOff();
  };
  planCutOff();
  return {
    afterCommit() {
      if (isDue()) copy();
      planCutOff();
    },
    async stop() {
      isStopped = true;
      cancelTry?.();
      await copier?.close();
    },
  };
}

/**
 * Pages that stand in the log alone: before a look (`noop`), or after a copy (`passive`). 0 when it cannot be told, as
 * on a disk that fails: commits say so, and the log is copied later.
 */
function measureLog(db: Connection, how: "noop" | "passive"): number {
  try {
    const pages = db.get<{ log: number; checkpointed: number }>(`pragma wal_checkpoint(${how})`);
    return pages === undefined ? 0 : pages.log - pages.checkpointed;
  } catch {
    return 0;
  }
}

interface Copier {
  copy(): void;
  close(): Promise<void>;
}

interface CopierEvents {
  readonly onCopied: () => void;
  readonly onGone: () => void;
}

/** Started when a log is long for the first time: many services never get there. One that dies leaves the fallback. */
function startCopier(path: string, { onCopied, onGone }: CopierEvents): Copier {
  const worker = new Worker(new URL("./checkpoint-thread.js", import.meta.url), {
    workerData: { path },
    name: "checkpoint",
    execArgv: [],
    resourceLimits: { maxYoungGenerationSizeMb: 1, maxOldGenerationSizeMb: 16 },
  });
  const { promise: gone, resolve: end } = Promise.withResolvers<void>();
  worker.on("message", onCopied);
  worker.on("error", () => {});
  worker.on("exit", () => {
    onGone();
    end();
  });
  const post = (message: ToCheckpoint): void => worker.postMessage(message);
  return {
    copy: () => post("copy"),
    async close() {
      post("close");
      await gone;
    },
  };
}
