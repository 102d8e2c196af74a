/**
 * The breaker at work: what an attempt says about its destination, and the one probe that an open breaker lets out. The
 * rules themselves are pure (`domain/destination-now.ts`); here they meet the row, in the settlement's transaction.
 *
 * Invariant: while a probe is out, `not_before_at` lies at the end of its claim. So there is one probe at a time, on
 * all nodes together, and one whose node has died is followed by another by itself.
 */
import { isOpen } from "../../domain/destination-health.ts";
import {
  type DestinationNow,
  type NotedAttempt,
  type NotedResult,
  SYSTEM_ACTOR,
  findReason,
  noteAttempt,
  toNotedResult,
} from "../../domain/destination-now.ts";
import type { Claim } from "../contract/path.ts";
import { tellOfAttempt } from "../sql/destination-health.ts";
import type { Changes } from "./destination-changes.ts";
import { destinationNow } from "./destination-now.ts";
import type { Transaction } from "./transaction.ts";

/** Applies one attempt, and notes in `changes` what it changed. */
export async function applyAttempt(
  { tx, changes }: { tx: Transaction; changes: Changes },
  destinationId: string,
  attempt: NotedAttempt,
): Promise<NotedResult> {
  const { nowMs } = attempt;
  const before = destinationNow(tx, destinationId);
  const turn = { before, after: noteAttempt(before, attempt), nowMs };
  const after = await tellOfAttempt(tx, destinationId, turn);
  changes.add(destinationId, { after, reason: findReason(after), actor: SYSTEM_ACTOR, nowMs });
  return toNotedResult(before, after, nowMs);
}

/** The destinations are locked by this transaction. */
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

const START_PROBES = `-- name: hold destinations back for their probes
  update destinations
  set not_before_at = $1, probe_token = $2
  where id = any ($3::text[])`;

const END_PROBE = `-- name: end hold of probe
  update destinations
  set not_before_at = $1, probe_token = null
  where id = $2 and trips > 0 and probe_token = $3 and not_before_at = $4`;
