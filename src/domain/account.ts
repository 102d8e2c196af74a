/**
 * An account of the product: the unit that owns alerts, assistants, one verification secret, and its own data; with its
 * plan, its people's roles and its chat assistants.
 */

export interface Account {
  /** The product's own id for it: 1 to 128 characters of `A-Z a-z 0-9 . _ : -`. */
  readonly id: string;
  readonly name: string;
  readonly plan: Plan;
  /** Base address of the product's web application, without a slash at the end; links in payloads start with it. */
  readonly appUrl: string;
}

/* The product's plans, lowest first. Source: decisions §5; specification §6 and §8 for the plan that alerts need. */

export const PLANS = ["free", "starter", "growth", "premium", "enterprise"] as const;

export type Plan = (typeof PLANS)[number];

/** Webhooks on demo alerts need Starter or higher; chat assistants' webhooks need no plan. */
export const ALERT_WEBHOOKS_PLAN: Plan = "starter";

/** Whether an account of this plan has what needs the other one, or a higher; `null` needs none. */
export const hasPlan = (plan: Plan, needed: Plan | null): boolean =>
  needed === null || PLANS.indexOf(plan) >= PLANS.indexOf(needed);

/* The permissions of a person who signs in to the dashboard. The sign-in link names person and role. */

export const ROLES = ["owner", "viewer"] as const;

/** `owner` may do everything; `viewer` sees, but changes, tests, resends and reveals nothing. */
export type Role = (typeof ROLES)[number];

/* The author of a change: a person, or the system. */

export interface Actor {
  readonly person: string;
  readonly role: Role | "system";
  /** The network address of the call that asked; nothing where no call did. */
  readonly address?: string | null;
}

/* A chat assistant of the product. It is known from the moment the product names it, with or without a webhook. */

export interface ChatAssistant {
  /** The product's own id for it; unique within its account. */
  readonly id: string;
  readonly name: string;
}
