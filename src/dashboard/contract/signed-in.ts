/** Who is signed in to the account, for its owners. */
import type { Role, SessionPurpose } from "../../domain/role.ts";

/** A browser in which somebody is signed in. */
export interface SignedIn {
  readonly id: string;
  readonly person: string;
  readonly role: Role;
  /** A browser, or a developer's `bellwire forward`. */
  readonly purpose: SessionPurpose;
  readonly sinceMs: number;
  /** The last use, to within a minute. */
  readonly seenMs: number;
  /** The latest end: a session without use for twelve hours ends before. */
  readonly expiresAtMs: number;
  /** The one that asks. */
  readonly isYou: boolean;
}

export interface SignedInAnswer {
  /** Newest first. */
  readonly sessions: readonly SignedIn[];
  readonly nextCursor: string | null;
}
