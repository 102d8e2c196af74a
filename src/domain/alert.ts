/** Demo alerts: which sessions fire them. Source: decisions §5; specification §1 and §6. */
import type { Conditions } from "./conditions.ts";
import { type NotSentReason, namesWanted } from "./not-sent.ts";

export const ALERT_AUDIENCES = ["all", "known_lead", "known_lead_or_company"] as const;

/** Which visitors fire an alert: everyone, known leads, or known leads and known companies. */
export type AlertAudience = (typeof ALERT_AUDIENCES)[number];

export interface DemoAlert {
  readonly id: string;
  readonly name: string;
  readonly audience: AlertAudience;
  /** Names of the demos that fire it; empty means every demo. */
  readonly demos: readonly string[];
  /** Intent levels that fire it; empty means every level. */
  readonly intentLevels: readonly string[];
  /** Conditions on fields of the payload besides; `null` for none. */
  readonly conditions: Conditions | null;
  /** The Webhooks toggle. Off keeps URL and headers. */
  readonly webhooksOn: boolean;
}

/** The facts of a session that an alert's conditions compare. */
export interface SessionFacts {
  readonly demoName: string;
  readonly intentLevel: string;
  readonly hasLead: boolean;
  readonly hasCompany: boolean;
}

/* Whether a session is one that a demo alert is meant for: visitors, demos and intent levels. Pure. */

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

const isListedOrAny = (list: readonly string[], value: string): boolean => list.length === 0 || list.includes(value);
