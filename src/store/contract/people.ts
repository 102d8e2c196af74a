/** People: sign-in links, sessions of the dashboard, and the audit of what they did. */
import type { Actor, Role } from "../../domain/account.ts";
import { minutesMs } from "../../lib/duration.ts";
import { OF_ACCOUNT, type VerbTable } from "./verb-table.ts";

export interface PeopleVerbs {
  createSignInLink(params: CreateSignInLink): Promise<{ created: boolean }>;
  /**
   * Uses the link up, opens the session and ends the one that this browser had before, in one transaction. An account
   * that has its most sessions loses the one that was used longest ago. Refusals are told apart, and end nothing.
   */
  openSession(params: OpenSession): Promise<OpenSessionResult>;
  /** `null`: unknown, ended, expired, or not used for as long as `LIMITS.sessionIdleMs`. */
  loadSession(params: LoadSession): Promise<LoadedSession | null>;
  /** Its holder signs out, or in elsewhere. One that has ended already is left alone; answers which one has ended. */
  endSession(params: EndSession): Promise<readonly EndedSession[]>;
  /** Newest first; neither those that have expired nor those that were unused for too long. */
  listSessions(params: ListSessions): Promise<readonly ListedSession[]>;
  /**
   * Ends the sessions that `which` names, and the unused sign-in links of the same people. A sign-in that is under way
   * at the same time either comes too late, or its session ends with the others.
   */
  endSessions(params: EndSessions): Promise<EndedSessions>;
  /**
   * Takes a person out of the account's events: of the next ones, each that has their e-mail address loses its body,
   * what receivers answered, and its texts in search; deliveries of it that wait are cancelled. Rows, counts and the
   * key against repeats stay. In steps, each from where the last one stopped; repeating one does no harm.
   */
  erasePerson(params: ErasePerson): Promise<ErasedPart>;
  writeAudit(params: NewAuditEntry): Promise<void>;
  listAudit(params: ListAudit): Promise<readonly StoredAuditEntry[]>;
}

export const PEOPLE_VERBS = {
  createSignInLink: { kind: "path", route: OF_ACCOUNT },
  openSession: { kind: "path", route: { kind: "token", isKnown: ({ kind }) => kind !== "unknown" } },
  loadSession: { kind: "path", route: { kind: "token", isKnown: (session) => session !== null } },
  endSession: { kind: "path", route: { kind: "token", isKnown: (ended) => ended.length > 0 } },
  listSessions: { kind: "side", reads: true, route: OF_ACCOUNT },
  endSessions: { kind: "side", route: OF_ACCOUNT },
  erasePerson: { kind: "side", route: { ...OF_ACCOUNT, whileMoving: leaveOne } },
  writeAudit: { kind: "path", route: OF_ACCOUNT },
  listAudit: { kind: "side", reads: true, route: OF_ACCOUNT },
} satisfies VerbTable<PeopleVerbs>;

/** A copy that a move made before may have what was erased, until the move has ended. */
function leaveOne(part: ErasedPart): ErasedPart {
  return part.next === null ? { ...part, inFlight: part.inFlight + 1 } : part;
}

/** Stable names; the dashboard has the words. */
export const AUDIT_ACTIONS = [
  "signed_in",
  "forward_started",
  "signed_out",
  "session_replaced",
  "session_crowded_out",
  "person_signed_out",
  "person_erased",
  "alert_created",
  "alert_changed",
  "alert_deleted",
  "webhook_created",
  "webhook_changed",
  "webhook_deleted",
  "assistant_webhook_changed",
  "assistant_webhook_removed",
  "destination_paused",
  "destination_turned_on",
  "backlog_cancelled",
  "webhook_tested",
  "delivery_resent",
  "waiting_sent",
  "pull_token_made",
  "delivery_skipped",
  "replay_prepared",
  "replay_started",
  "replay_paused",
  "replay_cancelled",
  "secret_revealed",
  "secret_rotated",
  "secret_stopped",
  "secret_rotation_cancelled",
  "key_added",
  "key_rotated",
  "key_stopped",
  "key_rotation_cancelled",
  "key_removed",
  "mail_address_added",
  "mail_address_removed",
  "mail_address_asked",
  "mail_address_confirmed",
  "mail_address_stopped",
  "mail_address_started",
  "news_channel_added",
  "news_channel_removed",
  "news_channel_tested",
  "read_key_made",
  "read_key_taken_back",
  "manage_key_made",
  "manage_key_taken_back",
  "account_suspended",
  "account_resumed",
  "account_deleted",
] as const;

export type AuditAction = (typeof AUDIT_ACTIONS)[number];

export interface NewAuditEntry {
  readonly accountId: string;
  readonly nowMs: number;
  readonly by: Actor;
  readonly action: AuditAction;
  /** The name or id of what it was done to. Never a secret. */
  readonly subject: string;
}

export interface StoredAuditEntry extends Required<Actor> {
  readonly seq: number;
  readonly atMs: number;
  readonly action: AuditAction;
  readonly subject: string;
}

export interface ListAudit {
  readonly accountId: string;
  /** Only what this names, such as who revealed the secret last; everything when left out. */
  readonly action?: AuditAction;
  readonly before: { readonly seq: number } | null;
  readonly limit: number;
}

export interface CreateSignInLink {
  readonly accountId: string;
  readonly person: string;
  readonly role: Role;
  /** The dashboard when left out. */
  /** The token's key (see `domain/token.ts`): the token itself is never stored. */
  readonly tokenHash: string;
  readonly expiresAtMs: number;
  readonly nowMs: number;
}

export interface OpenSession {
  /** The key of the link's token. */
  readonly tokenHash: string;
  /** The key of the session's token. */
  readonly sessionHash: string;
  /** Names the session to people. It opens nothing. */
  readonly sessionId: string;
  /**
   * The key of the session that this browser has had until now; `null` for none. That session ends when the new one
   * opens. If its account is in another shard, the caller ends it afterwards, with `endSession`.
   */
  readonly replacedHash: string | null;
  readonly expiresAtMs: number;
  /** Of the caller, for the audit. */
  readonly address?: string | null;
  readonly nowMs: number;
}

export type OpenSessionResult =
  | { readonly kind: "opened"; readonly session: StoredSession; readonly ended: readonly EndedSession[] }
  | { readonly kind: "unknown" }
  /** Its person was signed out after it was made. */
  | { readonly kind: "ended" }
  | { readonly kind: "used" }
  | { readonly kind: "expired" };

export interface LoadSession {
  readonly sessionHash: string;
  /** A person is there: it counts as used now. A page's own calls behind a hidden tab do not count. */
  readonly isUse: boolean;
  readonly nowMs: number;
}

/**
 * How much later than the last written use another one is worth a write: without it each look at the page would be a
 * commit. A session may so end that much before its idle time is over.
 */
export const SESSION_SEEN_STEP_MS = minutesMs(1);

export interface StoredSession {
  readonly id: string;
  readonly accountId: string;
  readonly person: string;
  readonly role: Role;
  readonly expiresAtMs: number;
}

/** With what its account is. */
export interface LoadedSession extends StoredSession {
  readonly isSuspended: boolean;
}

export interface EndSession {
  readonly sessionHash: string;
  /** Its browser has signed in anew, to whichever account; the audit says so. */
  readonly isReplaced?: boolean;
  /** Of the caller, for the audit. */
  readonly address?: string | null;
  readonly nowMs: number;
}

export interface EndedSession {
  readonly accountId: string;
  readonly id: string;
}

export interface ListSessions {
  readonly accountId: string;
  /** Only this person's; everybody's when left out. */
  readonly person?: string;
  readonly before: { readonly id: string } | null;
  readonly limit: number;
  readonly nowMs: number;
}

export interface ListedSession extends StoredSession {
  readonly createdAtMs: number;
  /** The last use, to within `SESSION_SEEN_STEP_MS`. */
  readonly seenAtMs: number;
}

export interface EndSessions {
  readonly accountId: string;
  readonly which: SessionChoice;
  readonly by: Actor;
  readonly nowMs: number;
}

export interface ErasePerson {
  readonly accountId: string;
  /** Compared without regard to letter case (`domain/mentions.ts`). */
  readonly email: string;
  /** The `next` of the step before; empty at first. */
  readonly after: string;
  /** Looked at in a step, of the account. */
  readonly eventsMax: number;
  /** Of the bodies that a step reads; one is read however large it is. */
  readonly bytesMax: number;
  readonly nowMs: number;
}

export interface ErasedPart {
  readonly events: number;
  readonly answers: number;
  /** Deliveries that waited. */
  readonly cancelled: number;
  /** Replays whose filter was a search for the person. */
  readonly searches: number;
  /** Events that were left because a node has a delivery of them in hand; one more while the account moves. */
  readonly inFlight: number;
  /** Where the next step begins; `null`: that was all. */
  readonly next: string | null;
}

/** `person` is compared as the sign-in link wrote it. */
export type SessionChoice =
  | { readonly kind: "one"; readonly id: string }
  | { readonly kind: "person"; readonly person: string }
  | { readonly kind: "all" }
  | { readonly kind: "others"; readonly exceptId: string };

export interface EndedSessions {
  readonly ids: readonly string[];
  /** How many sign-in links, unused and not yet expired, do not work any more. */
  readonly links: number;
}

interface SessionBounds {
  readonly id: string | null;
  readonly exceptId: string | null;
  readonly person: string | null;
}

/** A choice's conditions on a session, for both stores alike; `null` asks nothing. */
export function toBounds(which: SessionChoice): SessionBounds {
  const everybody = { id: null, exceptId: null, person: null };
  switch (which.kind) {
    case "one":
      return { ...everybody, id: which.id };
    case "person":
      return { ...everybody, person: which.person };
    case "others":
      return { ...everybody, exceptId: which.exceptId };
    case "all":
      return everybody;
  }
}
