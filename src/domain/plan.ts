/** The product's plans, lowest first. Source: decisions §5; specification §6 and §8 for the plan that alerts need. */
export const PLANS = ["free", "starter", "growth", "premium", "enterprise"] as const;

export type Plan = (typeof PLANS)[number];

/** Webhooks on demo alerts need Starter or higher; chat assistants' webhooks need no plan. */
export const ALERT_WEBHOOKS_PLAN: Plan = "starter";

export function allowsAlertWebhooks(plan: Plan): boolean {
  return PLANS.indexOf(plan) >= PLANS.indexOf(ALERT_WEBHOOKS_PLAN);
}
