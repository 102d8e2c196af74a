/**
 * Calls about accounts that are being moved to another shard (`path/fence.ts`). They wait for that apart from all other
 * calls: together, in the order of their calls and on one connection. So neither a commit that other accounts share nor
 * the connections of the others wait with them.
 */
import type { Answer, VerbAnswer } from "../calls.ts";
import type { VerbName } from "../contract/store.ts";
import { createGroupCommit } from "../group-commit.ts";
import type { AttemptColumns } from "./attempts.ts";
import { accountsOf, isRead, type PostgresCall } from "./commit-calls.ts";

export interface Apart {
  /** Whether calls about its accounts wait here, which go before it. */
  has(call: PostgresCall): boolean;
  call(call: PostgresCall): Promise<VerbAnswer<VerbName>>;
}

/** `commit` waits until the accounts are moved, or as long as any transaction waits for a lock. */
export function createApart(commit: (calls: readonly PostgresCall[]) => Promise<readonly Answer[]>): Apart {
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
