/**
 * Calls about accounts that are being moved to another shard (`path/fence.ts`). They wait for that apart from all other
 * calls, together and in their order, and are tried again every few milliseconds. So nothing waits with them: no commit
 * that other accounts share, no connection and no lock.
 */
import { sleep, systemClock } from "../../lib/clock.ts";
import type { Answer, VerbAnswer } from "../calls.ts";
import type { VerbName } from "../contract/store.ts";
import { createGroupCommit } from "../group-commit.ts";
import type { AttemptColumns } from "./attempts.ts";
import { accountsOf, isRead, type PostgresCall } from "./commit-calls.ts";
import { LOCK_MS_MAX } from "./connection/transaction-settings.ts";
import { AccountsMoving } from "./failures.ts";

export interface Apart {
  /** Whether calls about its accounts wait here, which go before it. */
  has(call: PostgresCall): boolean;
  call(call: PostgresCall): Promise<VerbAnswer<VerbName>>;
}

const AGAIN_MS = 20;

type Commit = (calls: readonly PostgresCall[]) => Promise<readonly Answer[]>;

/** Tries until the accounts are moved, or for as long as any transaction may wait for a lock. */
export async function whenMoved(calls: readonly PostgresCall[], commit: Commit): Promise<readonly Answer[]> {
  const untilMs = systemClock.monotonicMs() + LOCK_MS_MAX;
  let answers = await commit(calls);
  while (answers.some(isOfMoving) && systemClock.monotonicMs() < untilMs) {
    await sleep(systemClock, AGAIN_MS);
    const before = answers;
    const again = [...(await commit(calls.filter((_, place) => isOfMoving(before[place]))))];
    answers = before.map((answer) => (isOfMoving(answer) ? (again.shift() ?? answer) : answer));
  }
  return answers;
}

const isOfMoving = (answer: Answer | undefined): boolean =>
  answer?.kind === "fault" && answer.error instanceof AccountsMoving;

/** `commit` waits until the accounts are moved, or gives up. */
export function createApart(commit: Commit): Apart {
  const waiting = new Map<string, number>();
  const group = createGroupCommit<AttemptColumns>({
    commit,
    batchesInFlightMax: 1,
    besideItemsMin: Infinity,
    onCommit: () => {},
  });

  function count(call: PostgresCall, more: 1 | -1): void {
    for (const id of accountsOf(call)) {
      const calls = (waiting.get(id) ?? 0) + more;
      if (calls === 0) waiting.delete(id);
      else waiting.set(id, calls);
    }
  }

  return {
    has: (call) => waiting.size > 0 && !isRead(call) && accountsOf(call).some((id) => waiting.has(id)),
    async call(call) {
      count(call, 1);
      try {
        return await group.call(call);
      } finally {
        count(call, -1);
      }
    },
  };
}
