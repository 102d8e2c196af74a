/**
 * Joins calls of one verb into commits. While commits run, calls wait; the next commit takes all that wait, to a
 * maximum. No timers and no fixed delay: one call alone commits at once, a thousand share the way to the server and its
 * sync. Several commits run at the same time, each on a connection of its own.
 *
 * Invariant: each promise settles once, after its commit. Calls of different commits may be taken in any order.
 */
import { assert } from "../../lib/assert.ts";
import type { Clock } from "../../lib/clock.ts";
import { StoreUnavailable } from "../store.ts";
import type { Answer } from "./commit-calls.ts";
import type { Call, VerbAnswer, VerbName } from "./verbs.ts";

/** So many rows take the server 10 to 20 ms, which is what the last of them adds to the first one's wait. */
const COMMIT_ITEMS_MAX = 1_000;

/** One commit's way there and back hides behind the others' work; more only make smaller commits. */
export const BATCHES_IN_FLIGHT_MAX = 3;

/** At this size a commit's own cost is shared by enough to go beside one that runs. */
const BESIDE_ITEMS_MIN = 50;

/** Seconds of work at full speed. More would only answer later what the caller has given up on. */
const CALLS_WAITING_MAX = 20_000;

export interface CommitInfo {
  /** Calls that shared the commit. */
  readonly commands: number;
  /** From sending its first statement to its answers. */
  readonly durationMs: number;
}

export interface GroupCommitOptions {
  readonly commit: (calls: readonly Call[]) => Promise<readonly Answer[]>;
  readonly clock: Clock;
  readonly onCommit: (info: CommitInfo) => void;
}

export interface GroupCommit {
  call(call: Call): Promise<VerbAnswer<VerbName>>;
}

interface Waiter {
  readonly resolve: (value: VerbAnswer<VerbName>) => void;
  readonly reject: (error: Error) => void;
}

interface WaitingCall extends Waiter {
  readonly call: Call;
  readonly items: number;
}

export function createGroupCommit({ commit, clock, onCommit }: GroupCommitOptions): GroupCommit {
  const waiting: WaitingCall[] = [];
  let waitingItems = 0;
  let inFlight = 0;
  let isSendScheduled = false;

  function send(): void {
    isSendScheduled = false;
    while (isWorthSending({ waitingItems, inFlight })) {
      const batch = takeBatch(waiting);
      waitingItems -= batch.reduce((sum, { items }) => sum + items, 0);
      inFlight += 1;
      void commitBatch(batch).then(() => {
        inFlight -= 1;
        send();
      });
    }
  }

  async function commitBatch(batch: readonly WaitingCall[]): Promise<void> {
    const startedMs = clock.monotonicMs();
    const rejectAll = (error: Error): void => batch.forEach(({ reject }) => reject(error));
    const answers = await commit(batch.map(({ call }) => call)).catch(rejectAll);
    if (answers === undefined) return;
    batch.forEach((waiter, place) => settle(waiter, answers[place]));
    onCommit({ commands: batch.length, durationMs: clock.monotonicMs() - startedMs });
  }

  return {
    call(call) {
      if (waiting.length >= CALLS_WAITING_MAX) {
        return Promise.reject(new StoreUnavailable(`${CALLS_WAITING_MAX} calls already wait for the store`));
      }
      return new Promise((resolve, reject) => {
        const items = itemsOf(call);
        waiting.push({ call, items, resolve, reject });
        waitingItems += items;
        // Calls made in the same turn of the event loop share the first commit instead of waiting for it.
        if (!isSendScheduled) queueMicrotask(send);
        isSendScheduled = true;
      });
    },
  };
}

/**
 * Nothing runs: whatever waits goes. Something runs: another batch goes beside it only when it is large, so that under
 * light load calls still join.
 */
function isWorthSending({ waitingItems, inFlight }: { waitingItems: number; inFlight: number }): boolean {
  if (waitingItems === 0 || inFlight >= BATCHES_IN_FLIGHT_MAX) return false;
  return inFlight === 0 || waitingItems >= BESIDE_ITEMS_MIN;
}

/** Takes from the head of the queue what fits into one commit: at least one call, however large. */
function takeBatch(waiting: WaitingCall[]): WaitingCall[] {
  let items = 0;
  const end = waiting.findIndex((waiter, place) => {
    items += waiter.items;
    return place > 0 && items > COMMIT_ITEMS_MAX;
  });
  return waiting.splice(0, end === -1 ? waiting.length : end);
}

/** How much work a call is, in rows; never 0, so that whatever waits is seen to wait. */
function itemsOf({ params }: Call): number {
  if ("events" in params) return Math.max(1, params.events.length);
  if ("settlements" in params) return Math.max(1, params.settlements.length);
  return 1;
}

/** Hands one call its answer; also where a call has its transaction for itself. */
export function settle(waiter: Waiter, answer: Answer | undefined): void {
  assert(answer !== undefined, "the store answered fewer calls than it was sent");
  switch (answer.kind) {
    case "done":
      return waiter.resolve(answer.value as VerbAnswer<VerbName>);
    case "unavailable":
      return waiter.reject(new StoreUnavailable(answer.error.message, { cause: answer.error.cause }));
    case "fault":
      return waiter.reject(answer.error);
  }
}
