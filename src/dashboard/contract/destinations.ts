/** Destinations and their health, as lists, banners and forms show them. */
import type { DestinationOffReason, DestinationState } from "../../domain/destination.ts";
import type * as body from "../../domain/body.ts";
import type { NamedOwner } from "../../domain/event.ts";
import type * as form from "../../domain/webhook-form.ts";

/** Who owns a destination: where a link about it leads. */
export interface DestinationOwner extends NamedOwner {
  /** It was deleted; what was sent for it is still in the log. */
  readonly isDeleted: boolean;
}

/** The server decides; the page has the words. `paused` and `off` are a destination's own states. */
export type HealthWord = "no_deliveries" | "healthy" | "unsteady" | "failing" | "paused" | "off";

export interface DestinationHealthView {
  readonly word: HealthWord;
  /** Start of the incident, or of the unbroken run of failures before one; `null` when the last attempt succeeded. */
  readonly failingSinceMs: number | null;
  /** The last failure while it fails: "503", "timeout", … and when. */
  readonly lastFailure: { readonly atMs: number; readonly code: string } | null;
  /** Deliveries that wait; `isCapped` when there are more than were counted. */
  readonly waiting: { readonly count: number; readonly isCapped: boolean };
  /** When the oldest of them was accepted; `null` when nothing waits. */
  readonly oldestWaitingAtMs: number | null;
  /** When the next attempt goes out, as far as it is known; `null` when none will by itself. */
  readonly nextAttemptAtMs: number | null;
  /** Nothing goes out before then (its breaker is open, or it asked for silence). */
  readonly heldUntilMs: number | null;
  /** When it will be turned off if nothing changes; only while it fails. */
  readonly turnsOffAtMs: number | null;
  readonly offReason: DestinationOffReason | null;
  /** Who paused it or turned it on last, when, and why; for `paused` and `off`. */
  readonly changed: { readonly by: string; readonly atMs: number; readonly reason: string } | null;
  /**
   * Delivered in the last 24 hours, of those and of all that failed or is overdue (it waits while the endpoint fails or
   * is off); 0 to 1, `null` below 20 of them.
   */
  readonly successRate: number | null;
  /** One bar an hour, oldest first, 24 of them: attempts that succeeded and that failed. */
  readonly lastDay: readonly { readonly succeeded: number; readonly failed: number }[];
}

export interface DestinationView {
  readonly id: string;
  readonly owner: DestinationOwner;
  readonly url: string;
  /** By letters. */
  readonly tags: readonly string[];
  readonly state: DestinationState;
  readonly health: DestinationHealthView;
  /** The end of its client certificate, from 30 days before it on. */
  readonly certificateEndsAtMs?: number;
  /** Only of one that gets one delivery at a time. */
  readonly order?: OrderView;
}

export interface OrderView {
  /** The delivery that all others wait for; `null` when nothing waits. */
  readonly head: {
    readonly deliveryId: string;
    readonly attemptsMade: number;
    /** Since when it holds the others: its first failure; `null` before that. */
    readonly heldSinceMs: number | null;
    /** When it goes out, as far as it is known; `null` when it does not by itself, or is under way. */
    readonly nextAttemptAtMs: number | null;
    readonly isUnderWay: boolean;
  } | null;
}

export interface DestinationList {
  readonly destinations: readonly DestinationView[];
}

/** `held` is one that is on while its breaker is open. */
export interface DestinationChangeView {
  readonly atMs: number;
  readonly from: DestinationState | "held";
  readonly to: DestinationState | "held";
  readonly reason: string;
  readonly by: string;
}

export interface DestinationDetail extends DestinationView {
  readonly changes: readonly DestinationChangeView[];
}

/** One of them in the answer to a call about many; `refusal` says why nothing was sent, `null` when it was. */
export interface SentWaiting {
  readonly id: string;
  readonly refusal: string | null;
}

export interface SendWaitingAnswer {
  readonly results: readonly SentWaiting[];
}

/** The token with which a program asks: it is shown this once. */
export interface PullTokenAnswer {
  readonly token: string;
  /** The service's address, as `--url` of `bellwire pull` wants it. */
  readonly serviceUrl: string;
}

/** The webhook part of every form. */
export type WebhookForm = form.WebhookForm;
export type HeaderForm = form.HeaderForm;
export type AuthenticationForm = form.AuthenticationForm;
export type OauthForm = form.OauthForm;
export type KeptSettings = form.KeptSettings;
export type BodyKind = body.BodyKind;
export type BodySettings = body.BodySettings;

/** The saved authentication. Secrets never leave the server. */
export interface AuthenticationSettings {
  readonly oauth: (OauthForm & { readonly clientSecret: null }) | null;
  readonly certificate: (CertificateFacts & { readonly chain: string; readonly key: null }) | null;
}

/** The facts that a certificate states; `issuer` and `subject` on one line each. */
export interface CertificateFacts {
  readonly subject: string;
  readonly issuer: string;
  readonly validFromMs: number;
  readonly validToMs: number;
}

/** The saved settings. A secret's value never leaves the server. */
export interface WebhookSettings extends KeptSettings {
  readonly destinationId: string;
  readonly url: string;
  readonly headers: readonly HeaderForm[];
  readonly authentication: AuthenticationSettings | null;
}
