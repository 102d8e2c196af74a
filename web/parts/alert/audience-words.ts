/** Which sessions fire an alert, in words: for the form's choices and for the list's second lines. */
import type { AlertSummary } from "../../../src/dashboard/contract/alerts.ts";

export const AUDIENCES: readonly {
  readonly value: AlertSummary["audience"];
  readonly label: string;
  readonly help: string;
}[] = [
  { value: "all", label: "All sessions", help: "Every session that somebody has finished, known or not." },
  { value: "known_lead", label: "Known leads", help: "Only when the visitor is a lead with an e-mail address." },
  {
    value: "known_lead_or_company",
    label: "Known leads or companies",
    help: "When the visitor is a known lead, or their company is known.",
  },
];

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
