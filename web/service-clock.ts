/**
 * The service's clock, by which its instants are told: "in 4 min", "24 hours ago". The reader's own clock may be wrong
 * by minutes; how far the two are apart is learned from the `Date` of the service's answers.
 */

/** `Date` has whole seconds, and an answer is under way for a while: less than this is no difference. */
const TOLERANCE_MS = 5_000;

let aheadMs = 0;

export const serviceNowMs = (): number => Date.now() + aheadMs;

export function learnServiceClock(dateHeader: string | null): void {
  const learnedMs = Date.parse(dateHeader ?? "") - Date.now();
  if (Math.abs(learnedMs - aheadMs) >= TOLERANCE_MS) aheadMs = learnedMs;
}
