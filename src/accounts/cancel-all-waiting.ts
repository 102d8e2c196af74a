/**
 * Cancels what waits for a destination, in steps: a backlog may have millions of rows, and intake's commits stand in
 * the same queue. A crash between two steps loses nothing: deliveries that wait for a deleted destination expire
 * anyway.
 */
import type { AccountsContext } from "./context.ts";

/** The same as housekeeping's steps: a commit of this many rows takes a few milliseconds. */
const ROWS_MAX = 500;

export async function cancelAllWaiting(
  ctx: Pick<AccountsContext, "store" | "clock">,
  waiting: { readonly accountId: string; readonly destinationId: string | undefined },
): Promise<number> {
  const { accountId, destinationId } = waiting;
  if (destinationId === undefined) return 0;
  // Up to this instant: deliveries that are accepted while this runs were meant to be sent.
  const createdBeforeMs = ctx.clock.nowMs() + 1;
  let total = 0;
  for (let cancelled = ROWS_MAX; cancelled > 0; total += cancelled) {
    const step = { accountId, destinationId, createdBeforeMs, rowsMax: ROWS_MAX, nowMs: ctx.clock.nowMs() };
    ({ cancelled } = await ctx.store.cancelWaiting(step));
  }
  return total;
}
