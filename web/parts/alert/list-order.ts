/** The order of the alerts' list, and the word for an alert that sends nothing. Pure. */
import type { AlertSummary } from "../../../src/dashboard/contract/alerts.ts";
import type { HealthWord } from "../../../src/dashboard/contract/destinations.ts";

const NEED: Readonly<Record<HealthWord, number>> = {
  off: 0,
  failing: 1,
  unsteady: 2,
  paused: 3,
  no_deliveries: 4,
  healthy: 4,
};
const NONE = 5;

/** Those that need attention first, then by name. */
export function byNeed(one: AlertSummary, other: AlertSummary): number {
  return rankNeed(one) - rankNeed(other) || one.name.localeCompare(other.name, "en", { numeric: true });
}

function rankNeed({ webhooksOn, destination }: AlertSummary): number {
  return webhooksOn && destination !== null ? NEED[destination.health.word] : NONE;
}

/** `null` when it sends, and its destination's health is the word to say. */
export function idleWord({ webhooksOn, destination }: AlertSummary, isGated: boolean): string | null {
  if (destination === null) return "No webhook";
  if (!webhooksOn) return "Webhooks off";
  return isGated ? "Paused by the plan" : null;
}
