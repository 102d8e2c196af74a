/** The kinds of acts in an account's audit, by which people look through it. */
export const AUDIT_KINDS = ["setup", "sending", "keys", "news", "people", "account"] as const;

export type AuditKind = (typeof AUDIT_KINDS)[number];
