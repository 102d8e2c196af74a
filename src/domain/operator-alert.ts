/**
 * Alerts to the operator, by `BELLWIRE_OPERATOR_WEBHOOK_URL`: their kinds, their exact bodies, and which changes of a
 * destination are one. They are not events: events belong to accounts, and no owner ever gets an alert. Pure. A store
 * asks in the change's transaction. Owners are notified by other rules (`outage-notifications.ts`): the operator hears
 * of every account's outages, and also when a person has ended one.
 *
 *     quiet ──breaker is open──► failing ──a success, a person, its deletion──► quiet: recovered
 *       └──────turned off──────► off ─────a person, its deletion─────────────► quiet: recovered
 *
 * Invariant: no body carries a payload, a secret, or more of a Webhook URL than its origin.
 */
import { hoursMs } from "../lib/duration.ts";
import type { DestinationFailure, DestinationOffReason, DestinationState } from "./destination.ts";
import { type DestinationHealth, isOpen } from "./destination-health.ts";
import type { NamedOwner, OwnerKind } from "./event.ts";

/** The destination of an alert, with the names that the body uses. */
export interface AlertedDestination {
  readonly account: { readonly id: string; readonly name: string };
  readonly destination: {
    readonly id: string;
    readonly owner: NamedOwner;
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
  readonly destination_failing: AlertedDestination;
  readonly destination_turned_off: AlertedDestination & { readonly reason: DestinationOffReason };
  readonly destination_recovered: AlertedDestination & {
    readonly reason: "accepted" | "turned_on" | "url_changed" | "deleted";
  };
  readonly backlog_late: Backlog;
  readonly backlog_cleared: Backlog;
  readonly store_unhealthy: Node & { readonly since: string };
  readonly store_healthy: Node & { readonly unhealthy_since: string };
  readonly operator_test: Node;
}

export type OperatorAlertKind = keyof FieldsOf;

/** The fields of a kind besides its name and the time. */
export type OperatorAlertFields<Kind extends OperatorAlertKind> = FieldsOf[Kind];

/** The exact text of a body: stored, signed and sent as it is, on every attempt. */
export function operatorAlertBody<Kind extends OperatorAlertKind>(
  kind: Kind,
  atMs: number,
  fields: OperatorAlertFields<Kind>,
): string {
  return JSON.stringify({ event: kind, occurred_at: bodyTime(atMs), ...fields });
}

/** The time format of every body that Bellwire sends: milliseconds and a numeric offset. */
export const bodyTime = (atMs: number): string => new Date(atMs).toISOString().replace("Z", "+00:00");

export interface OperatorView {
  readonly state: DestinationState;
  readonly offReason: DestinationOffReason | null;
  readonly health: DestinationHealth;
  readonly lastFailure: DestinationFailure | null;
}

type Recovery = OperatorAlertFields<"destination_recovered">["reason"];

export type OperatorNews =
  | { readonly kind: "destination_failing" }
  | { readonly kind: "destination_turned_off"; readonly reason: DestinationOffReason }
  | { readonly kind: "destination_recovered"; readonly reason: Recovery };

/** As for owners: a receiver that flaps is an alert once an hour. */
const QUIET_MS = hoursMs(1);

/** How long a kind keeps quiet after an alert. That a destination was turned off is always an alert. */
export const findQuietMs = ({ kind }: OperatorNews): number => (kind === "destination_failing" ? QUIET_MS : 0);

/** What an attempt makes worth an alert. The store knows of which there was one already. */
export function findOperatorNews(before: OperatorView, after: OperatorView): OperatorNews | null {
  if (before.state !== "on") return null;
  if (after.offReason !== null) return { kind: "destination_turned_off", reason: after.offReason };
  if (isOpen(after.health)) return { kind: "destination_failing" };
  return isOpen(before.health) ? { kind: "destination_recovered", reason: "accepted" } : null;
}

/** A destination with the names that its account and its owner go by. */
export interface NamedDestination {
  readonly id: string;
  readonly url: string;
  readonly accountId: string;
  readonly accountName: string;
  readonly ownerKind: OwnerKind;
  readonly ownerId: string;
  readonly ownerName: string | null;
}

/** The alert's body. `view` is the destination in trouble: after the trouble began, or before it ended. */
export function composeOperatorAlert(
  news: OperatorNews,
  named: NamedDestination,
  { view, nowMs }: { readonly view: OperatorView; readonly nowMs: number },
): string {
  const fields = toFields(named, view);
  switch (news.kind) {
    case "destination_failing":
      return operatorAlertBody(news.kind, nowMs, fields);
    case "destination_turned_off":
      return operatorAlertBody(news.kind, nowMs, { ...fields, reason: news.reason });
    case "destination_recovered":
      return operatorAlertBody(news.kind, nowMs, { ...fields, reason: news.reason });
  }
}

function toFields(named: NamedDestination, { health, lastFailure }: OperatorView): AlertedDestination {
  const { failingSinceMs } = health;
  return {
    account: { id: named.accountId, name: named.accountName },
    destination: {
      id: named.id,
      owner: { kind: named.ownerKind, id: named.ownerId, name: named.ownerName ?? named.ownerId },
      origin: new URL(named.url).origin,
      failing_since: failingSinceMs === null ? null : bodyTime(failingSinceMs),
      last_failure: lastFailure === null ? null : toFailureField(lastFailure),
    },
  };
}

const toFailureField = ({ atMs, outcome, status }: DestinationFailure) => ({ at: bodyTime(atMs), outcome, status });
