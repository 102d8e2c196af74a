/**
 * What is left of an account in a shard where it does not live: its history after a move, or the copy of a move that
 * was taken back. It goes in batches, which any process may go on with.
 */
import type { Departed, MovesOver } from "./over.ts";

/** `onRows` is called after each batch, and throws to stop. */
export async function cleanUp<Tx>(
  over: MovesOver<Tx>,
  accountId: string,
  onRows: (table: string, rows: number) => void,
): Promise<void> {
  const { directory, steps, gently = (work) => work() } = over;
  const place = await directory.commit((tx) => steps.findPlace(tx, accountId));
  // The copy of a move that died while it was taken back stands where it was going.
  const name = place.leaving ?? place.movingTo;
  if (name === null) return;
  const shard = await over.shard(name);
  const catalogue = await shard.commit(steps.loadCatalogue);
  const departed = await shard.commit((tx) => steps.holdDeparted(tx, accountId));
  /** It may have come back and left again since. */
  const holdSame = async (tx: Tx): Promise<Departed | null> => {
    const held = await steps.holdDeparted(tx, accountId);
    return held?.run === departed?.run ? held : null;
  };
  for (const table of steps.left) {
    for (let hasMore = true; hasMore;) {
      const deleteSome = async (tx: Tx) => {
        const held = await holdSame(tx);
        return held === null ? NOTHING : await steps.deleteLeft(tx, { ...held, accountId, catalogue, table });
      };
      const batch = await gently(() => shard.commit(deleteSome));
      if (batch.rows > 0) onRows(table, batch.rows);
      ({ hasMore } = batch);
    }
  }
  await shard.commit(async (tx) => {
    if ((await holdSame(tx)) !== null) await steps.deleteDeparted(tx, accountId);
  });
  if (place.leaving === null) return;
  const change = { before: place, after: { ...place, leaving: null } };
  await directory.commit((tx) => steps.changePlace(tx, accountId, change));
}

const NOTHING = { rows: 0, hasMore: false } as const;
