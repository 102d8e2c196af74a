/** Giving a move up before its point of no return: the account stays where it is, and what was copied of it goes. */
import { cleanUp } from "./clean-up.ts";
import { completeMove } from "./complete-move.ts";
import { findUnderLock } from "./find-under-lock.ts";
import { MoveOvertaken, type MovesOver } from "./over.ts";

/**
 * `took back`: nothing of it is left where it was going. `not moving`: no move of it was under way, or it had got past
 * the point of no return and is at its end now; then it is moved back as any account is.
 */
export async function takeBack<Tx>(
  over: MovesOver<Tx>,
  { accountId, onRows = () => {} }: { accountId: string; onRows?: (table: string, rows: number) => void },
): Promise<"took back" | "not moving"> {
  const { directory, steps } = over;
  await completeMove(over, accountId);
  const before = await directory.commit((tx) => steps.findPlace(tx, accountId));
  const { shard, movingTo } = before;
  if (movingTo === null) {
    await cleanUp(over, accountId, onRows);
    return "not moving";
  }
  const [from, to] = [await over.shard(shard), await over.shard(movingTo)];
  // While the account's row is held no process is between the copy's commit and the account's leaving.
  const isDone = await from.commit(async (tx) => {
    const found = await findUnderLock(over, tx, { accountId, to, lock: "lockAccount" });
    if (found === "elsewhere") return false;
    const isLeft = await to.commit(async (there) => {
      const arriving = await steps.holdArriving(there, accountId);
      if (arriving?.run !== found?.run) throw new MoveOvertaken(accountId);
      if (arriving !== null) await steps.noteDeparted(there, accountId, arriving.owners);
      await steps.deleteArriving(there, accountId);
      return await steps.isDeparted(there, accountId);
    });
    const after = { shard, movingTo: null, leaving: isLeft ? movingTo : null };
    return await directory.commit((inDirectory) => steps.changePlace(inDirectory, accountId, { before, after }));
  });
  if (!isDone) return await takeBack(over, { accountId, onRows });
  await cleanUp(over, accountId, onRows);
  return "took back";
}
