/** Which events an alert or a webhook is sent, in words: the second line of a list's row. Pure. */
import type { AlertSummary } from "../../../src/dashboard/contract/alerts.ts";
import type { WebhookSummary } from "../../../src/dashboard/contract/webhooks.ts";

const LABELS: Readonly<Record<AlertSummary["audience"], string>> = {
  all: "All sessions",
  known_lead: "Known leads",
  known_lead_or_company: "Known leads or companies",
};

/** "Known leads · 2 demos · high". */
export function conditionsInWords({ audience, demos, intentLevels }: AlertSummary): string {
  return [LABELS[audience], some(demos, "demos"), some(intentLevels, "intent levels")]
    .filter((part) => part !== "")
    .join(" · ");
}

function some(list: readonly string[], noun: string): string {
  const [only, second] = list;
  return only === undefined ? "" : second === undefined ? only : `${list.length} ${noun}`;
}

/** "All events", "Lead identified", "Lead identified and 4 more". */
export function eventsInWords({ events }: WebhookSummary, label: (type: string) => string): string {
  if (events === "all") return "All events";
  const [first, ...more] = events;
  const name = first === undefined ? "" : label(first.type);
  return more.length === 0 ? name : `${name} and ${more.length} more`;
}
