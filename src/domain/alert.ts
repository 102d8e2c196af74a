/** Demo alerts: which sessions fire them. Source: decisions §5; specification §1 and §6. */
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

/** Whether the alert's conditions hold. It does not check the toggle, the plan or the destination's state. */
export function alertMatches(alert: DemoAlert, session: SessionFacts): boolean {
  return (
    audienceMatches(alert.audience, session) &&
    isListedOrAny(alert.demos, session.demoName) &&
    isListedOrAny(alert.intentLevels, session.intentLevel)
  );
}

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
