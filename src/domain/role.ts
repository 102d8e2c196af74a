/** The permissions of a person who signs in to the dashboard. The sign-in link names person and role. */
export const ROLES = ["owner", "viewer"] as const;

/** `owner` may do everything; `viewer` sees, but changes, tests, resends and reveals nothing. */
export type Role = (typeof ROLES)[number];

/**
 * A sign-in link and its session open one of two: the `dashboard`, or a `forward`, which brings copies of the account's
 * webhooks to a developer's machine.
 */
export type SessionPurpose = "dashboard" | "forward";
