/**
 * The breaker at work: what an attempt says about its destination, who hears of it, and the one probe that an open
 * breaker lets out. The rules themselves are pure (`domain/destination-now.ts`); here they meet the row, in the
 * settlement's transaction. How the row is written is each store's own.
 *
 * Invariant: while a probe is out, `not_before_at` lies at the end of its claim. So there is one probe at a time, on
 * all nodes together, and one whose node has died is followed by another by itself.
 */
import {
  type ChangeOfDestination,
  type DestinationNow,
  findReason,
  isSame,
  type NotedAttempt,
  noteAttempt,
  SYSTEM_ACTOR,
} from "../../../domain/destination-now.ts";
import { isOpen } from "../../../domain/destination-health.ts";
import { findOutageNews, type Told, UNTOLD } from "../../../domain/outage-news.ts";
import type { Claim } from "../../contract/path.ts";
import { noteAttemptInIncident } from "../news/incidents.ts";
import { writeNews } from "../news/news-digests.ts";
import { tellOperator, type Turn } from "../news/operator-notices.ts";
import { type SqlTransaction, ofAccount } from "../transaction.ts";

export const toTurn = (before: DestinationNow, attempt: NotedAttempt): Turn => ({
  before,
  after: noteAttempt(before, attempt),
  nowMs: attempt.nowMs,
});

export const toChange = (after: DestinationNow, nowMs: number): ChangeOfDestination => ({
  after,
  reason: findReason(after),
  actor: SYSTEM_ACTOR,
  nowMs,
});

/** Under this claim the destination is being probed. A later end than the claim's is a Retry-After that came in. */
export const isProbedBy = ({ health, probeToken }: DestinationNow, { token, untilMs }: Claim): boolean =>
  isOpen(health) && probeToken === token && health.notBeforeMs === untilMs;

/** A claim that is given back; if it was the probe's, another probe may go from `dueAtMs` on. */
export interface GivenBack {
  readonly destinationId: string;
  readonly claim: Claim;
  readonly dueAtMs: number;
}

/** Whether there is anything to write. Most attempts succeed at a healthy destination, and write nothing there. */
export const isNews = ({ before, after, nowMs }: Turn): boolean =>
  !isSame(before, after) || findOutageNews(before, after, nowMs) !== null;

/** Returns the destination with what its owner was told. The caller holds its lock, and with it its condition's. */
export async function tellOfAttempt(tx: SqlTransaction, destinationId: string, turn: Turn): Promise<DestinationNow> {
  const own = ofAccount(tx, turn.before.accountId);
  if (!isSame(turn.before, turn.after)) {
    await noteAttemptInIncident(own, destinationId, turn);
    await tellOperator(own, destinationId, turn);
  }
  return { ...turn.after, ...(await tellOwner(own, destinationId, turn)) };
}

/** An outage counts as told only when a reader was told: one that comes in during it is told then. */
async function tellOwner(tx: SqlTransaction, destinationId: string, { before, after, nowMs }: Turn): Promise<Told> {
  const news = findOutageNews(before, after, nowMs);
  const { accountId, isTold, toldAtMs } = before;
  if (news === null) return { isTold, toldAtMs };
  return (await writeNews(tx, { accountId, destinationId, kind: news.kind, nowMs })) ? news.told : UNTOLD;
}
