/**
 * The breaker at work: what an attempt says about its destination, and the one probe that an open breaker lets out. The
 * rules themselves are pure (`domain/destination-health.ts`); here they meet the row, in the settlement's transaction.
 *
 * Invariant: while a probe is out, `not_before_at` lies at the end of its claim. So there is one probe at a time, on
 * all nodes together, and one whose node has died is followed by another without anybody's help.
 */
import type { OutcomeKind } from "../../domain/attempt.ts";
import type { DestinationOffReason } from "../../domain/destination.ts";
import { afterAttempt, isChargeable, isGivenUp, isOpen, type SettledAttempt } from "../../domain/destination-health.ts";
import { type Told, UNTOLD, newsOf } from "../outage-news.ts";
import type { Claim } from "../contract/path.ts";
import { type Changes, conditionOf, isSame } from "./destination-changes.ts";
import type { DestinationNow } from "../destination-now.ts";
import { destinationNow } from "./destination-now.ts";
import { writeNews } from "./mail-digests.ts";
import { tellOperator } from "./operator-notices.ts";
import type { Transaction } from "./transaction.ts";

/** In changes that nobody asked for. */
const SYSTEM = "system";

export interface NotedAttempt extends SettledAttempt {
  readonly outcome: OutcomeKind;
  /** The answer's, if there was one. */
  readonly status: number | null;
  readonly destinationOff: DestinationOffReason | null;
}

/**
 * Applies one attempt; what it changed is noted in `changes`. Returns until when the destination is held back (0 when
 * it is not), and why it was turned off if this attempt did that.
 */
export async function noteAttempt(
  { tx, changes }: { tx: Transaction; changes: Changes },
  destinationId: string,
  attempt: NotedAttempt,
): Promise<{ heldUntilMs: number; turnedOff: DestinationOffReason | null }> {
  const { nowMs } = attempt;
  const before = destinationNow(tx, destinationId);
  const noted = afterNoted(before, attempt);
  if (!isSame(before, noted)) await tellOperator(tx, destinationId, { before, after: noted, nowMs });
  const after = { ...noted, ...(await tellOwner(tx, destinationId, { before, after: noted, nowMs })) };
  changes.add(destinationId, { after, reason: reasonOf(after), actor: SYSTEM, nowMs });
  return {
    heldUntilMs: isHeld(after, nowMs) ? after.health.notBeforeMs : 0,
    turnedOff: before.state === "off" ? null : after.offReason,
  };
}

/** A success of a healthy destination changes nothing, so its row need not be locked. */
export const changesDestination = (before: DestinationNow, attempt: NotedAttempt): boolean =>
  !isSame(before, afterNoted(before, attempt));

function afterNoted(before: DestinationNow, attempt: NotedAttempt): DestinationNow {
  const { outcome, status, destinationOff, succeeded, startedAtMs, nowMs } = attempt;
  const isCharged = isChargeable(outcome);
  const health = isCharged ? afterAttempt(before.health, attempt) : before.health;
  // The first reason stays: one that is off already is not turned off for another.
  const offReason = before.offReason ?? destinationOff ?? (isGivenUp(health, nowMs) ? "failing" : null);
  const lastFailure = isCharged && !succeeded ? { atMs: startedAtMs, outcome, status } : before.lastFailure;
  return { ...before, health, offReason, state: offReason === null ? before.state : "off", lastFailure };
}

interface Turn {
  readonly before: DestinationNow;
  readonly after: DestinationNow;
  readonly nowMs: number;
}

/** An outage counts as told only when there is somebody to tell: who is named during it is told then. */
async function tellOwner(tx: Transaction, destinationId: string, { before, after, nowMs }: Turn): Promise<Told> {
  const news = newsOf(before, after, nowMs);
  const { accountId, isTold, toldAtMs } = before;
  if (news === null) return { isTold, toldAtMs };
  return (await writeNews(tx, { accountId, destinationId, kind: news.kind, nowMs })) ? news.told : UNTOLD;
}

/** An open breaker holds back also what comes after `notBeforeMs`: only a claim knows which delivery is the probe. */
export const isHeld = ({ health }: DestinationNow, nowMs: number): boolean =>
  isOpen(health) || health.notBeforeMs > nowMs;

/** Of destinations that this transaction has locked. */
export async function startProbes(tx: Transaction, destinationIds: readonly string[], claim: Claim): Promise<void> {
  if (destinationIds.length > 0) await tx.db.run(START_PROBES, claim.untilMs, claim.token, destinationIds);
}

/** For claims that are given back: where one was the probe's, another probe may go from `dueAtMs` on. */
export async function endProbe(
  tx: Transaction,
  destinationId: string,
  { claim, dueAtMs }: { claim: Claim; dueAtMs: number },
): Promise<void> {
  // A later end than the claim's is a Retry-After that came in meanwhile.
  await tx.db.run(END_PROBE, dueAtMs, destinationId, claim.token, claim.untilMs);
}

/** Whether giving back a claim may end a probe: most destinations are healthy, and nothing is written for them. */
export const mayBeProbe = ({ health, probeToken }: DestinationNow, token: string): boolean =>
  isOpen(health) && probeToken === token;

/** A code, as the reason of going off is; whoever shows it has the words. */
function reasonOf(after: DestinationNow): string {
  if (after.offReason !== null) return after.offReason;
  return conditionOf(after) === "held" ? "breaker_opened" : "breaker_closed";
}

const START_PROBES = `-- name: hold destinations back for their probes
  update destinations
  set not_before_at = $1, probe_token = $2
  where id = any ($3::text[])`;

const END_PROBE = `-- name: end hold of probe
  update destinations
  set not_before_at = $1, probe_token = null
  where id = $2 and trips > 0 and probe_token = $3 and not_before_at = $4`;
