/**
 * What a change of a destination makes news for the operator. Pure; stores ask it in that change's transaction, beside
 * `outage-news.ts`, which is about the owner: the operator is told whomever the account names, and also when a person
 * has ended what was told.
 *
 *     quiet ──breaker is open──► failing ──a success, a person, its deletion──► quiet: recovered
 *       └──────turned off──────► off ─────a person, its deletion─────────────► quiet: recovered
 */
import type { DestinationOffReason, DestinationState } from "../domain/destination.ts";
import { type DestinationHealth, isOpen } from "../domain/destination-health.ts";
import type { NoticedDestination, OperatorNoticeFields } from "../domain/operator-notice.ts";
import { noticeTime, operatorNoticeBody } from "../domain/operator-notice.ts";
import { hoursMs } from "../lib/duration.ts";
import type { ReportedDestination } from "./contract/destinations.ts";

export interface OperatorView {
  readonly state: DestinationState;
  readonly offReason: DestinationOffReason | null;
  readonly health: DestinationHealth;
  readonly lastFailure: ReportedDestination["lastFailure"];
}

type Recovery = OperatorNoticeFields<"destination_recovered">["reason"];

export type OperatorNews =
  | { readonly kind: "destination_failing" }
  | { readonly kind: "destination_turned_off"; readonly reason: DestinationOffReason }
  | { readonly kind: "destination_recovered"; readonly reason: Recovery };

/** As for owners: a receiver that flaps is told of once an hour. */
const QUIET_MS = hoursMs(1);

/** How long a kind keeps quiet after it was told; being turned off is told whatever was told before. */
export const quietMsOf = ({ kind }: OperatorNews): number => (kind === "destination_failing" ? QUIET_MS : 0);

/** Of an attempt. Whether it was told already is the store's to know. */
export function operatorNewsOf(before: OperatorView, after: OperatorView): OperatorNews | null {
  if (before.state !== "on") return null;
  if (after.offReason !== null) return { kind: "destination_turned_off", reason: after.offReason };
  if (isOpen(after.health)) return { kind: "destination_failing" };
  return isOpen(before.health) ? { kind: "destination_recovered", reason: "accepted" } : null;
}

/** A destination as the store names it in its own tables. */
export interface NoticedRow {
  readonly id: string;
  readonly url: string;
  readonly accountId: string;
  readonly accountName: string;
  readonly ownerKind: "alert" | "assistant";
  readonly ownerId: string;
  readonly ownerName: string | null;
}

/** The body of the notice. `view` is the destination when it was in trouble: after it began, before it ended. */
export function operatorNewsBody(news: OperatorNews, row: NoticedRow, told: { view: OperatorView; nowMs: number }) {
  const fields = noticed(row, told.view);
  switch (news.kind) {
    case "destination_failing":
      return operatorNoticeBody(news.kind, told.nowMs, fields);
    case "destination_turned_off":
      return operatorNoticeBody(news.kind, told.nowMs, { ...fields, reason: news.reason });
    case "destination_recovered":
      return operatorNoticeBody(news.kind, told.nowMs, { ...fields, reason: news.reason });
  }
}

function noticed(row: NoticedRow, { health, lastFailure }: OperatorView): NoticedDestination {
  const { failingSinceMs } = health;
  return {
    account: { id: row.accountId, name: row.accountName },
    destination: {
      id: row.id,
      owner: { kind: row.ownerKind, id: row.ownerId, name: row.ownerName ?? row.ownerId },
      origin: new URL(row.url).origin,
      failing_since: failingSinceMs === null ? null : noticeTime(failingSinceMs),
      last_failure: lastFailure === null ? null : failureOf(lastFailure),
    },
  };
}

const failureOf = ({ atMs, outcome, status }: NonNullable<OperatorView["lastFailure"]>) => ({
  at: noticeTime(atMs),
  outcome,
  status,
});
