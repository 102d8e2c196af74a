/** Demo alerts: which sessions fire them. Source: decisions §5; specification §1 and §6. */
import type { Conditions } from "./conditions.ts";

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
