/**
 * Cancels what waits for a destination, in steps: a backlog may be millions of rows, and intake's commits stand in the
 * same queue. A step that a crash prevents is made up for: what waits for a destination that is gone expires anyway.
 */
import type { AccountsContext } from "./context.ts";

/** As housekeeping's steps: a commit of so many rows takes a few milliseconds. */
const ROWS_MAX = 500;

export async function cancelAllWaiting(
  ctx: Pick<AccountsContext, "store" | "clock">,
  waiting: { readonly accountId: string; readonly destinationId: string | undefined },
): Promise<number> {
  const { accountId, destinationId } = waiting;
  if (destinationId === undefined) return 0;
  // Up to this instant: what is accepted while this runs was meant to be sent.
  const createdBeforeMs = ctx.clock.nowMs() + 1;
  let total = 0;
  for (let cancelled = ROWS_MAX; cancelled > 0; total += cancelled) {
    const step = { accountId, destinationId, createdBeforeMs, rowsMax: ROWS_MAX, nowMs: ctx.clock.nowMs() };
    ({ cancelled } = await ctx.store.cancelWaiting(step));
  }
  return total;
}
