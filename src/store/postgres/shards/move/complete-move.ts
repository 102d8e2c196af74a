/**
 * The end of a move that is past its point of no return. Whoever meets an account in this state brings it there: the
 * process that moves it, a node that was asked for the account and finds it in neither shard, or one that looks for
 * moves whose process has died.
 */
import type { MovesOver } from "./over.ts";

/**
 * Resolves when the account lives where the directory says. Does nothing where no move has begun, or where it can still
 * be taken back. Several processes may do it at once.
 */
export async function completeMove<Tx>(
  over: MovesOver<Tx>,
  accountId: string,
  onStep: (step: "landed" | "directed") => Promise<void> = async () => {},
): Promise<void> {
  const { directory, steps } = over;
  const before = await directory.commit((tx) => steps.findPlace(tx, accountId));
  const { shard, movingTo } = before;
  if (movingTo === null) return;
  const [from, to] = [await over.shard(shard), await over.shard(movingTo)];
  const arrived = await to.read((tx) => steps.findArriving(tx, accountId));
  // Only now: it has left with what has arrived, and not with what arrives later.
  const hasLeft = await from.read(async (tx) => {
    const [isGone, isHere] = await Promise.all([steps.isDeparted(tx, accountId), steps.hasAccount(tx, accountId)]);
    return isGone && !isHere;
  });
  if (!hasLeft) return;
  await to.commit(async (tx) => {
    const arriving = await steps.holdArriving(tx, accountId);
    // Another process may have done it.
    if (arriving?.isComplete !== true || arriving.run !== arrived?.run) return;
    await steps.goLive(tx, accountId);
    await steps.deleteArriving(tx, accountId);
  });
  await onStep("landed");
  const after = { shard: movingTo, movingTo: null, leaving: shard };
  await directory.commit((tx) => steps.changePlace(tx, accountId, { before, after }));
  await onStep("directed");
}
