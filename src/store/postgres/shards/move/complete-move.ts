/**
 * The end of a move that is past its point of no return. Whoever meets an account in this state brings it there: the
 * process that moves it, or a node that was asked for the account and finds it in neither shard.
 */
import { commit, readOnce } from "../../transaction.ts";
import { deleteArriving, hasAccount, holdArriving, isDeparted } from "./arriving.ts";
import { loadCatalogue } from "./catalogue.ts";
import { insertLiveRows } from "./live-rows.ts";
import { changePlace, findPlace, type MovesOver } from "./places.ts";

/**
 * Resolves when the account lives where the directory says. Does nothing where no move has begun, or where it can still
 * be taken back. Several processes may do it at once.
 */
export async function completeMove(
  over: MovesOver,
  accountId: string,
  onStep: (step: "landed" | "directed") => Promise<void> = async () => {},
): Promise<void> {
  const before = await findPlace(over.directory, accountId);
  const { shard, movingTo } = before;
  if (movingTo === null) return;
  const from = await over.shard(shard);
  const hasLeft = await readOnce(from, async ({ db }) => {
    const [isGone, isHere] = await Promise.all([isDeparted(db, accountId), hasAccount(db, accountId)]);
    return isGone && !isHere;
  });
  if (!hasLeft) return;
  await commit(await over.shard(movingTo), "nothing", async ({ db }) => {
    // Another process may have done it.
    if ((await holdArriving(db, accountId)) === null) return;
    await insertLiveRows(db, accountId, await loadCatalogue(db));
    await deleteArriving(db, accountId);
  });
  await onStep("landed");
  await changePlace(over.directory, accountId, { before, after: { shard: movingTo, movingTo: null, leaving: shard } });
  await onStep("directed");
}
