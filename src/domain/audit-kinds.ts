/** The kinds of acts in an account's audit, by which people look through it, in words. */
export const AUDIT_KINDS = {
  setup: "Alerts and webhooks",
  sending: "Sending again",
  keys: "Secrets and keys",
  news: "News of failures",
  people: "Signing in and out",
  account: "The account",
} as const;

export type AuditKind = keyof typeof AUDIT_KINDS;
