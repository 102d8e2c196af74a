/** The effect of an owner's rate limit on nodes that hold deliveries of a destination. */

/** Guess. A node holds what it may start in this time: a delivery that waits for 30 s of its claim is given back. */
const HELD_SECONDS = 10;

/** The number of deliveries that one node may hold at `ratePerSecond`; one even when that takes longer. */
export const roomAtRate = (ratePerSecond: number | null): number =>
  ratePerSecond === null ? Infinity : Math.max(1, Math.floor(ratePerSecond * HELD_SECONDS));
