/** Whether a session is one that a demo alert is meant for: visitors, demos and intent levels. Pure. */
import type { AlertAudience, DemoAlert, SessionFacts } from "./alert.ts";
import { type NotSentReason, namesWanted } from "./not-sent.ts";

/** An alert demands these of a session before its conditions on the payload's fields are looked at. */
export type AlertDemands = Pick<DemoAlert, "audience" | "demos" | "intentLevels">;

/**
 * The first of the alert's demands that the session does not meet; `null` when it meets all. The toggle, the plan, the
 * conditions on fields and the destination's state are looked at elsewhere.
 */
export function findUnmetDemand(alert: AlertDemands, session: SessionFacts): NotSentReason | null {
  if (!audienceMatches(alert.audience, session)) return AUDIENCE_REASONS[alert.audience];
  if (!isListedOrAny(alert.demos, session.demoName)) return namesWanted("demos", alert.demos);
  if (!isListedOrAny(alert.intentLevels, session.intentLevel)) return namesWanted("intent_levels", alert.intentLevels);
  return null;
}

/** One object for each, as `writeNotSent` keeps the texts of reasons. */
const AUDIENCE_REASONS: Readonly<Record<AlertAudience, NotSentReason>> = {
  all: { kind: "audience", wanted: "all" },
  known_lead: { kind: "audience", wanted: "known_lead" },
  known_lead_or_company: { kind: "audience", wanted: "known_lead_or_company" },
};

function audienceMatches(audience: AlertAudience, session: SessionFacts): boolean {
  switch (audience) {
    case "all":
      return true;
    case "known_lead":
      return session.hasLead;
    case "known_lead_or_company":
      return session.hasLead || session.hasCompany;
  }
}

/** A name may be written with its accents apart by the one, and in one piece by the other. */
const isListedOrAny = (list: readonly string[], value: string): boolean =>
  list.length === 0 || list.includes(value) || list.some((each) => each.normalize() === value.normalize());
