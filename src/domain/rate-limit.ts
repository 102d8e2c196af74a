/** What an owner's limit means for those who hold deliveries of a destination. */

/** A node holds what it may start in this time: a claim can be started for 30 s, then it is given back. Guess. */
const HELD_SECONDS = 10;

/** How many deliveries one node may hold at `ratePerSecond`; one even when it takes longer than that. */
export const roomAtRate = (ratePerSecond: number | null): number =>
  ratePerSecond === null ? Infinity : Math.max(1, Math.floor(ratePerSecond * HELD_SECONDS));
