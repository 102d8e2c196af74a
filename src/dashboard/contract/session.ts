/**
 * Who is signed in, to which account, and what the page needs to know before it draws anything.
 *
 * This folder is the contract between the page (`web/`) and its server side: types only, JSON on the wire. Instants are
 * milliseconds since the Unix epoch (`…AtMs`); `null` is "there is none". `routes.ts` lists every call.
 */
import type { AlertAudience } from "../../domain/alert.ts";
import type { AuditKind } from "../../domain/audit-kinds.ts";
import type { EventWords } from "../../domain/event.ts";
import type { FORM_LIMITS } from "../../domain/limits.ts";
import type { Plan, Role } from "../../domain/account.ts";

export interface SessionAnswer {
  readonly account: { readonly id: string; readonly name: string; readonly plan: Plan; readonly appUrl: string };
  /** Nothing is taken or sent for it, and nothing can be changed. */
  readonly isSuspended: boolean;
  /** The installation is a copy: nothing is accepted or sent until it is adopted. */
  readonly isHeld: boolean;
  /** Whom the sign-in link named, such as "ana@example.com". */
  readonly person: string;
  readonly role: Role;
  /** Sent back in `x-bellwire-csrf` with every call that changes something. */
  readonly csrfToken: string;
  readonly expiresAtMs: number;
  /** Why demo alerts' webhooks cannot be used on this plan, in words; `null` when they can. */
  readonly alertWebhooksGate: string | null;
  /** Where an owner changes the plan; `null` where the operator names no place. */
  readonly upgradeUrl: string | null;
  readonly hasPlayground: boolean;
  /** Settings → Webhooks is there: an event type is declared, or the account has such webhooks. */
  readonly hasWebhooks: boolean;
  /** Kinds of the product's: pages name neither where the account has only events of its own. */
  readonly uses: {
    /** Sessions and alerts. */
    readonly demos: boolean;
    /** Chat assistants and their conversations. */
    readonly chats: boolean;
  };
  /** The operator has set up e-mail. */
  readonly hasMail: boolean;
  readonly version: string;
  /** Lower case, `x-service-signature` unless the operator renamed it. */
  readonly signatureHeader: string;
  readonly limits: FormLimits;
  readonly audiences: readonly AlertAudience[];
  /** In the order of pages. */
  readonly eventTypes: readonly EventTypeWords[];
}

export interface EventTypeWords extends EventWords {
  /** In a sentence: what it tells of. Empty where its declaration does not say. */
  readonly hint: string;
  /** Why this account's webhooks do not get it, in words; `null` when they do. */
  readonly planGate: string | null;
}

/** The limits that forms check while somebody types; the server checks them again. */
export interface FormLimits extends Readonly<Record<keyof typeof FORM_LIMITS, number>> {
  /** A Webhook URL must start with `https:`; the operator wants it so. */
  readonly httpsOnly: boolean;
}

export type { AuditKind };

/** The acts of people, newest first. */
export interface AuditEntry {
  readonly atMs: number;
  readonly person: string;
  readonly role: Role | "system";
  /** The network address of the call that asked; `null` where no call did. */
  readonly address: string | null;
  /** In words, such as "Rotated the verification secret". */
  readonly action: string;
  /** The object of the act, such as an alert's name; empty when the action says it all. */
  readonly subject: string;
}

export interface AuditAnswer {
  readonly entries: readonly AuditEntry[];
  readonly nextCursor: string | null;
}

/* Who is signed in to the account, for its owners. */

/** A browser in which somebody is signed in. */
export interface SignedIn {
  readonly id: string;
  readonly person: string;
  readonly role: Role;
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
