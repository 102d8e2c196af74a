/** The success rate as a person means it: an endpoint that is down delivers nothing, whatever has ended. Pure. */
import type { DestinationView } from "../../../src/dashboard/contract/destinations.ts";
import type { StatisticsTotals } from "../../../src/dashboard/contract/statistics.ts";

export interface Overdue {
  readonly count: number;
  /** There are more than were counted. */
  readonly isCapped: boolean;
}

type Waiting = Pick<DestinationView["health"], "word" | "waiting">;

/** What waits while its endpoint fails or is off: the same figures as the banners have. */
export function sumOverdue(destinations: readonly { readonly health: Waiting }[]): Overdue {
  const troubled = destinations.filter(({ health: { word } }) => word === "failing" || word === "off");
  return {
    count: troubled.reduce((sum, { health }) => sum + health.waiting.count, 0),
    isCapped: troubled.some(({ health }) => health.waiting.isCapped),
  };
}

/** As the service has it for one destination: fewer say nothing in per cent. */
const FINISHED_MIN = 20;

/** Delivered, of those and of all that failed for good or is overdue; `null` when they are too few. */
export function computeSuccess(
  totals: Pick<StatisticsTotals, "delivered" | "failed">,
  overdue: Overdue,
): number | null {
  const { delivered, failed } = totals;
  const expected = delivered + failed + overdue.count;
  return expected < FINISHED_MIN ? null : delivered / expected;
}
