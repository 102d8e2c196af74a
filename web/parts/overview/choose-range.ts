/** The stretch of time that has something to show, where the address names none. Pure. */
import type { DestinationView } from "../../../src/dashboard/contract/destinations.ts";
import type { StatisticsRange } from "../../../src/dashboard/contract/statistics.ts";

/** An hour that began a moment ago reaches into the one before. */
const YOUNG_HOURS = 2;

type Days = readonly { readonly health: Pick<DestinationView["health"], "lastDay"> }[];

/**
 * The last hour for an account whose first attempts of the day are from this hour: in 24 hours they would be a sliver.
 * A week where the last day has none.
 */
export function chooseRange(destinations: Days): StatisticsRange {
  const hours = destinations.flatMap(({ health }) => {
    const first = health.lastDay.findIndex(({ succeeded, failed }) => succeeded + failed > 0);
    return first === -1 ? [] : [health.lastDay.length - first];
  });
  if (hours.length === 0) return "7d";
  return Math.max(...hours) <= YOUNG_HOURS ? "1h" : "24h";
}
