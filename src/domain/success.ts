/**
 * The success rate as a person means it, in every place that has one: delivered, of those and of all that failed for
 * good or is overdue. An endpoint that is down delivers nothing, whatever has ended. Pure.
 */

export interface Finished {
  readonly delivered: number;
  /** With no attempt left. */
  readonly failed: number;
  /** What waits while its endpoint fails or is off. */
  readonly overdue: number;
}

/** Fewer say nothing in per cent (research, 3.8). */
export const FINISHED_MIN = 20;

/** 0 to 1; `null` when they are too few. */
export function computeSuccess({ delivered, failed, overdue }: Finished): number | null {
  const expected = delivered + failed + overdue;
  return expected < FINISHED_MIN ? null : delivered / expected;
}
