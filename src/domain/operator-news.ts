/**
 * Which changes of a destination are news for the operator, and the notice's body. Pure. A store asks in the change's
 * transaction. The owner's news (`outage-news.ts`) goes by other rules: the operator hears of every account's outages,
 * and also when a person has ended one.
 *
 *     quiet ──breaker is open──► failing ──a success, a person, its deletion──► quiet: recovered
 *       └──────turned off──────► off ─────a person, its deletion─────────────► quiet: recovered
 */
import { hoursMs } from "../lib/duration.ts";
import type { DestinationFailure, DestinationOffReason, DestinationState } from "./destination.ts";
import { type DestinationHealth, isOpen } from "./destination-health.ts";
import {
  type NoticedDestination,
  type OperatorNoticeFields,
  noticeTime,
  operatorNoticeBody,
} from "./operator-notice.ts";

export interface OperatorView {
  readonly state: DestinationState;
  readonly offReason: DestinationOffReason | null;
  readonly health: DestinationHealth;
  readonly lastFailure: DestinationFailure | null;
}

type Recovery = OperatorNoticeFields<"destination_recovered">["reason"];

export type OperatorNews =
  | { readonly kind: "destination_failing" }
  | { readonly kind: "destination_turned_off"; readonly reason: DestinationOffReason }
  | { readonly kind: "destination_recovered"; readonly reason: Recovery };

/** As for owners: a receiver that flaps is told of once an hour. */
const QUIET_MS = hoursMs(1);

/** How long a kind keeps quiet after it was told. That a destination was turned off is always told. */
export const findQuietMs = ({ kind }: OperatorNews): number => (kind === "destination_failing" ? QUIET_MS : 0);

/** News that an attempt has made. The store knows what was told already. */
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
  readonly ownerKind: "alert" | "assistant";
  readonly ownerId: string;
  readonly ownerName: string | null;
}

/** The notice's body. `view` is the destination in trouble: after the trouble began, or before it ended. */
export function composeOperatorNotice(
  news: OperatorNews,
  named: NamedDestination,
  { view, nowMs }: { readonly view: OperatorView; readonly nowMs: number },
): string {
  const fields = toFields(named, view);
  switch (news.kind) {
    case "destination_failing":
      return operatorNoticeBody(news.kind, nowMs, fields);
    case "destination_turned_off":
      return operatorNoticeBody(news.kind, nowMs, { ...fields, reason: news.reason });
    case "destination_recovered":
      return operatorNoticeBody(news.kind, nowMs, { ...fields, reason: news.reason });
  }
}

function toFields(named: NamedDestination, { health, lastFailure }: OperatorView): NoticedDestination {
  const { failingSinceMs } = health;
  return {
    account: { id: named.accountId, name: named.accountName },
    destination: {
      id: named.id,
      owner: { kind: named.ownerKind, id: named.ownerId, name: named.ownerName ?? named.ownerId },
      origin: new URL(named.url).origin,
      failing_since: failingSinceMs === null ? null : noticeTime(failingSinceMs),
      last_failure: lastFailure === null ? null : toFailureField(lastFailure),
    },
  };
}

const toFailureField = ({ atMs, outcome, status }: DestinationFailure) => ({ at: noticeTime(atMs), outcome, status });
