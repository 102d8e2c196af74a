/**
 * The body of a webhook that tells an owner about failures (`type` instead of `event`, because it is no event of the
 * product). One message is about all destinations that have news, and its `type` is the gravest of what is new. Pure.
 *
 * Invariant: no body carries a payload, a secret, or more of a Webhook URL than its host.
 */
import type { DestinationOffReason } from "./destination.ts";
import type { NamedOwner } from "./event.ts";

/** Gravest first; the last one is not new, and a message is about it alone when it is a reminder. */
export const NOTIFICATION_TYPES = [
  "destination.turned_off",
  "destination.failing",
  "destination.certificate_ends",
  "destination.recovered",
  "destination.still_failing",
] as const;

export type NotificationType = (typeof NOTIFICATION_TYPES)[number];

export type NotificationCount = "turned_off" | "failing" | "certificate_ends" | "still_failing" | "recovered";

export interface NotificationBody {
  /** `notice.test`: a person pressed Test; `destinations` is empty. */
  readonly type: NotificationType | "notice.test";
  readonly sent_at: string;
  readonly account: { readonly id: string; readonly name: string };
  /** One sentence for people. */
  readonly summary: string;
  readonly destinations: readonly NotificationDestination[];
  /** How many destinations there are of each type; `destinations` has at most 20 of each. */
  readonly counts: Readonly<Record<NotificationCount, number>>;
  /** The dashboard. */
  readonly link: string;
}

export interface NotificationDestination {
  readonly type: NotificationType;
  /** When the state in `type` began, or was noticed. */
  readonly occurred_at: string;
  readonly id: string;
  readonly owner: NamedOwner;
  readonly host: string;
  readonly failing_since: string | null;
  readonly off_reason: DestinationOffReason | null;
  readonly last_failure: {
    readonly at: string;
    /** An outcome of an attempt. */
    readonly outcome: string;
    readonly status: number | null;
  } | null;
  /** Deliveries that wait, counted up to 1,000 (`is_capped`: there are more); `null` where nothing fails. */
  readonly waiting: { readonly count: number; readonly is_capped: boolean } | null;
  /** When its client certificate ends; `null` unless that is the news. */
  readonly certificate_ends_at: string | null;
  /** The id of the incident; `null` when it is not kept any more, or when the news is about none. */
  readonly incident: string | null;
  /** The incident, on the page of its owner; that page alone when there is none. */
  readonly link: string;
}
