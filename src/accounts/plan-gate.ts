/** The one plan rule: webhooks on demo alerts need Starter or higher, for saving and for testing alike. */
import { type Plan, allowsAlertWebhooks } from "../domain/plan.ts";
import { type Problem, problem } from "../domain/problem.ts";

export function alertPlanGate(plan: Plan): Problem | null {
  if (allowsAlertWebhooks(plan)) return null;
  const detail = `Webhooks on demo alerts need the Starter plan or higher; this account is on the ${plan} plan.`;
  return problem("plan_too_low", detail);
}
