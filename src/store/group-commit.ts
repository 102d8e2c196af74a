/**
 * Joins calls into commits. While commits run, calls wait; the next commit takes all that wait, to a maximum. A call
 * that somebody waits for is never delayed: alone it commits at once, and a thousand share a sync and the round trip
 * (measured with SQLite, 1 KB bodies, FULL sync: 64 callers, one event each, 18,000 events/s accepted and settled; 32
 * callers, 50 each, 15,000 to 23,000). A patient call starts no commit of its own at once: it goes with the next one,
 * with other patient calls once they are many, or after a moment.
 *
 * Invariant: batches are handed over in the order of their calls, and each promise settles once, after its commit.
 */
import { type CancelTimer, type Clock, systemClock } from "../lib/clock.ts";
import { type Answer, type Call, settle, type VerbAnswer, type Waiter } from "./calls.ts";
import { StoreUnavailable, type VerbName } from "./contract/store.ts";

/** A commit of this size takes 10 to 30 ms, which is what the last of them adds to the first one's wait. */
const COMMIT_ITEMS_MAX = 1_000;

/** Seconds of work at full speed. More would only answer later what the caller has given up on. */
const CALLS_WAITING_MAX = 20_000;

/**
 * A patient call's longest wait. Under little load a success then shares the commit of the next accept instead of
 * having one of its own, which is most of what it costs. A process that is killed in this time sends what was not
 * settled again, so it is short; guess.
 */
const PATIENCE_MS = 40;

/** Patient calls that are worth a commit of their own. Guess. */
const PATIENT_ITEMS_MAX = 32;

export interface CommitInfo {
  /** Calls that shared the commit. */
  readonly commands: number;
  /** From handing the batch over to its answers. */
  readonly durationMs: number;
  /** How long the first of them had waited. */
  readonly waitedMs: number;
}

export interface GroupCommitOptions<Columns> {
  readonly commit: (calls: readonly Call<Columns>[]) => Promise<readonly Answer[]>;
  /** Commits that may be under way at once. */
  readonly batchesInFlightMax: number;
  /** At this size a commit's own cost is shared by enough to go beside one that runs. */
  readonly besideItemsMin: number;
  /** Commits take real time, also for callers that live by a clock of their own: only tests of patience give one. */
  readonly clock?: Clock;
  readonly onCommit: (info: CommitInfo) => void;
}

export interface GroupCommit<Columns> {
  call(call: Call<Columns>): Promise<VerbAnswer<VerbName>>;
  /** Resolves when nothing waits and nothing runs. */
  drained(): Promise<void>;
}

interface WaitingCall<Columns> extends Waiter {
  readonly call: Call<Columns>;
  readonly items: number;
  readonly isPatient: boolean;
  readonly calledMs: number;
}

export function createGroupCommit<Columns>(options: GroupCommitOptions<Columns>): GroupCommit<Columns> {
  const { commit, onCommit, batchesInFlightMax, besideItemsMin, clock = systemClock } = options;
  const waiting: WaitingCall<Columns>[] = [];
  let waitingItems = 0;
  let inFlight = 0;
  let isSendScheduled = false;
  let idle: PromiseWithResolvers<void> | null = null;
  const patience = createPatience(clock, send);

  /**
   * Nothing runs: what waits goes, unless all of it is patient. Something runs: another batch goes beside it only when
   * it is large, so that under light load calls still join.
   */
  function isWorthSending(): boolean {
    if (waitingItems === 0 || inFlight >= batchesInFlightMax) return false;
    if (inFlight > 0) return waitingItems >= besideItemsMin;
    return idle !== null || patience.isOver() || waitingItems >= PATIENT_ITEMS_MAX || !waiting.every(isPatient);
  }

  function send(): void {
    isSendScheduled = false;
    while (isWorthSending()) {
      const batch = takeBatch(waiting);
      waitingItems -= batch.reduce((sum, { items }) => sum + items, 0);
      patience.end();
      inFlight += 1;
      void commitBatch(batch).then(() => {
        inFlight -= 1;
        send();
      });
    }
    if (inFlight > 0) return;
    if (waitingItems > 0) return patience.begin();
    idle?.resolve();
    idle = null;
  }

  async function commitBatch(batch: readonly WaitingCall<Columns>[]): Promise<void> {
    const startedMs = clock.monotonicMs();
    const rejectAll = (error: Error): void => batch.forEach(({ reject }) => reject(error));
    const answers = await commit(batch.map(({ call }) => call)).catch(rejectAll);
    if (answers === undefined) return;
    batch.forEach((waiter, place) => settle(waiter, answers[place]));
    const waitedMs = startedMs - (batch[0]?.calledMs ?? startedMs);
    onCommit({ commands: batch.length, durationMs: clock.monotonicMs() - startedMs, waitedMs });
  }

  return {
    call(call) {
      if (waiting.length >= CALLS_WAITING_MAX) {
        return Promise.reject(new StoreUnavailable(`${CALLS_WAITING_MAX} calls already wait for the store`));
      }
      return new Promise((resolve, reject) => {
        const items = countItems(call);
        waiting.push({ call, items, isPatient: isPatientCall(call), calledMs: clock.monotonicMs(), resolve, reject });
        waitingItems += items;
        // Calls made in the same tick of the event loop share the first commit instead of waiting for it.
        if (!isSendScheduled) queueMicrotask(send);
        isSendScheduled = true;
      });
    },
    async drained() {
      if (inFlight === 0 && waiting.length === 0) return;
      idle ??= Promise.withResolvers();
      send();
      await idle.promise;
    },
  };
}

/** The one timer of the patient calls that wait. */
function createPatience(clock: Clock, onOver: () => void) {
  let cancel: CancelTimer | null = null;
  let isOver = false;
  return {
    isOver: () => isOver,
    begin(): void {
      cancel ??= clock.after(PATIENCE_MS, () => {
        isOver = true;
        onOver();
      });
    },
    end(): void {
      cancel?.();
      cancel = null;
      isOver = false;
    },
  };
}

const isPatient = (waiter: { readonly isPatient: boolean }): boolean => waiter.isPatient;

const isPatientCall = <Columns>({ params }: Call<Columns>): boolean =>
  ("isPatient" in params && params.isPatient) ?? false;

/** Takes from the head of the queue what fits into one commit: at least one call, however large. */
function takeBatch<Columns>(waiting: WaitingCall<Columns>[]): WaitingCall<Columns>[] {
  let items = 0;
  const end = waiting.findIndex((waiter, place) => {
    items += waiter.items;
    return place > 0 && items > COMMIT_ITEMS_MAX;
  });
  return waiting.splice(0, end === -1 ? waiting.length : end);
}

/** How much work a call is, in events; never 0, so that whatever waits is seen to wait. */
function countItems<Columns>({ params }: Call<Columns>): number {
  if ("events" in params) return Math.max(1, params.events.length);
  if ("settlements" in params) return Math.max(1, params.settlements.length);
  return 1;
}
