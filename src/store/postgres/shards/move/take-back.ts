/** Giving a move up before its point of no return: the account stays where it is, and what was copied of it goes. */
import { commit } from "../../transaction.ts";
import { deleteArriving, holdArriving, isDeparted, lockAccount, noteDeparted } from "./arriving.ts";
import { cleanUp } from "./clean-up.ts";
import { completeMove } from "./complete-move.ts";
import { changePlace, findPlace, type MovesOver } from "./places.ts";

/**
 * `took back`: nothing of it is left where it was going. `not moving`: no move of it was under way, or it had got past
 * the point of no return and is at its end now; then it is moved back as any account is.
 */
export async function takeBack(
  over: MovesOver,
  { accountId, onRows = () => {} }: { accountId: string; onRows?: (table: string, rows: number) => void },
): Promise<"took back" | "not moving"> {
  await completeMove(over, accountId);
  const before = await findPlace(over.directory, accountId);
  const { shard, movingTo } = before;
  if (movingTo === null) {
    await cleanUp(over, accountId, onRows);
    return "not moving";
  }
  const [from, to] = [await over.shard(shard), await over.shard(movingTo)];
  // While the account's row is held no process is between the copy's commit and the account's leaving.
  const isDone = await commit(from, "nothing", async (tx) => {
    if (!(await lockAccount(tx.db, accountId))) return false;
    const isLeft = await commit(to, "nothing", async ({ db }) => {
      const arriving = await holdArriving(db, accountId);
      if (arriving !== null) await noteDeparted(db, accountId, arriving.owners);
      await deleteArriving(db, accountId);
      return await isDeparted(db, accountId);
    });
    const after = { shard, movingTo: null, leaving: isLeft ? movingTo : null };
    return await changePlace(over.directory, accountId, { before, after });
  });
  if (!isDone) return await takeBack(over, { accountId, onRows });
  await cleanUp(over, accountId, onRows);
  return "took back";
}
