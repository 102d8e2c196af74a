/**
 * The notices that Bellwire sends to its operator, by `BELLWIRE_OPERATOR_WEBHOOK_URL`: their kinds and exact bodies.
 * They are not events: events belong to accounts, and no account's owner ever gets a notice. Pure.
 *
 * Invariant: no body carries a payload, a secret, or more of a Webhook URL than its origin.
 */
import type { DestinationOffReason } from "./destination.ts";

/** The destination of a notice, with the names that the body uses. */
export interface NoticedDestination {
  readonly account: { readonly id: string; readonly name: string };
  readonly destination: {
    readonly id: string;
    readonly owner: { readonly kind: "alert" | "assistant"; readonly id: string; readonly name: string };
    readonly origin: string;
    readonly failing_since: string | null;
    readonly last_failure: {
      readonly at: string;
      /** An outcome of an attempt. */
      readonly outcome: string;
      readonly status: number | null;
    } | null;
  };
}

interface Backlog {
  readonly oldest_due_seconds: number;
  readonly limit_seconds: number;
  readonly deliveries_waiting: number;
}

interface Node {
  readonly node: string;
}

interface FieldsOf {
  readonly destination_failing: NoticedDestination;
  readonly destination_turned_off: NoticedDestination & { readonly reason: DestinationOffReason };
  readonly destination_recovered: NoticedDestination & {
    readonly reason: "accepted" | "turned_on" | "url_changed" | "deleted";
  };
  readonly backlog_late: Backlog;
  readonly backlog_cleared: Backlog;
  readonly store_unhealthy: Node & { readonly since: string };
  readonly store_healthy: Node & { readonly unhealthy_since: string };
  readonly operator_test: Node;
}

export type OperatorNoticeKind = keyof FieldsOf;

/** The fields of a kind besides its name and the time. */
export type OperatorNoticeFields<Kind extends OperatorNoticeKind> = FieldsOf[Kind];

/** The exact text of a body: stored, signed and sent as it is, on every attempt. */
export function operatorNoticeBody<Kind extends OperatorNoticeKind>(
  kind: Kind,
  atMs: number,
  fields: OperatorNoticeFields<Kind>,
): string {
  return JSON.stringify({ event: kind, occurred_at: noticeTime(atMs), ...fields });
}

/** The time format of every body that Bellwire sends: milliseconds and a numeric offset. */
export const noticeTime = (atMs: number): string => new Date(atMs).toISOString().replace("Z", "+00:00");
