/** The context of the verbs in this folder, and the refusals that several of them share. */
import type { OwnerKind } from "../domain/event.ts";
import { type Problem, problem } from "../domain/problem.ts";
import type { EventType } from "../events/event-type.ts";
import type { EventTypes } from "../events/event-types.ts";
import type { Clock } from "../lib/clock.ts";
import type { Random } from "../lib/random.ts";
import type { Sealer } from "../lib/seal.ts";
import type { Store } from "../store/contract/store.ts";
import type { AccountCache } from "./account-cache.ts";
import { ALERT_WEBHOOKS_PLAN, type Plan, hasPlan } from "../domain/account.ts";

export interface AccountsContext {
  readonly store: Store;
  readonly types: EventTypes;
  readonly accounts: AccountCache;
  readonly sealer: Sealer;
  readonly clock: Clock;
  readonly random: Random;
  /** Whether this address may be called: `null`, or the reason in words. The same guard checks each connect again. */
  readonly checkUrl: (url: URL) => Promise<string | null>;
  readonly signatureHeader: string;
  /** Base address of this service as people reach it, without a slash at the end; known once it listens. */
  readonly publicUrl: () => string;
}

export function accountMissing(accountId: string): Problem {
  return {
    code: "account_not_found",
    detail: `There is no account "${accountId}". Create it first with PUT /v1/accounts/${accountId}.`,
  };
}

export const accountSuspended: Problem = problem(
  "account_suspended",
  "This account is suspended: it takes no records, nothing is sent for it, and it cannot be changed. What waits goes " +
    "out when the operator lets it go on.",
);

/* Plans, for saving and for testing alike. Webhooks on demo alerts need Starter or higher. */

export function alertPlanGate(plan: Plan): Problem | null {
  if (hasPlan(plan, ALERT_WEBHOOKS_PLAN)) return null;
  const detail = `Webhooks on demo alerts need the Starter plan or higher; this account is on the ${plan} plan.`;
  return problem("plan_too_low", detail);
}

/** The same for webhooks of their own, by the plan of an event type. */
export function typePlanGate({ type, plan: needed }: Pick<EventType, "type" | "plan">, plan: Plan): Problem | null {
  if (needed === null || hasPlan(plan, needed)) return null;
  const words = `${needed.charAt(0).toUpperCase()}${needed.slice(1)}`;
  const detail = `Webhooks on ${type} need the ${words} plan or higher; this account is on the ${plan} plan.`;
  return problem("plan_too_low", detail);
}

/** Whether the plan has webhooks of such an owner for events of the type: `null`, or the refusal. */
export const PLAN_GATES: Readonly<Record<OwnerKind, (type: EventType, plan: Plan) => Problem | null>> = {
  alert: (_, plan) => alertPlanGate(plan),
  // Source: decisions §5.
  assistant: () => null,
  webhook: typePlanGate,
};
