/** What an owner's limit means for those who hold deliveries of a destination. */

/** What is held longer than some multiples of this loses its claim before its turn comes. Guess. */
const HELD_SECONDS = 10;

/** How many deliveries one node may hold at `ratePerSecond`; one even when it takes longer than that. */
export const roomAtRate = (ratePerSecond: number | null): number =>
  ratePerSecond === null ? Infinity : Math.max(1, Math.floor(ratePerSecond * HELD_SECONDS));
