/** The order of a list of webhooks' owners: those that need attention first, then by name. Pure. */
import type { DestinationView, HealthWord } from "../../../src/dashboard/contract/destinations.ts";

const NEED: Readonly<Record<HealthWord, number>> = {
  off: 0,
  failing: 1,
  unsteady: 2,
  paused: 3,
  no_deliveries: 4,
  healthy: 4,
};
const NONE = 5;

interface Listed {
  readonly name: string;
  readonly destination: DestinationView | null;
  /** An alert's toggle; other owners have none. */
  readonly webhooksOn?: boolean;
}

export function byNeed(one: Listed, other: Listed): number {
  return rankNeed(one) - rankNeed(other) || one.name.localeCompare(other.name, "en", { numeric: true });
}

function rankNeed({ webhooksOn = true, destination }: Listed): number {
  return webhooksOn && destination !== null ? NEED[destination.health.word] : NONE;
}
