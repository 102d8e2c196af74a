/** The breaker's row on PostgreSQL: `../../sql/path/destination-health.ts` says what it keeps true. */
import { isOpen } from "../../../domain/destination-health.ts";
import {
  type DestinationNow,
  type NotedAttempt,
  type NotedResult,
  toNotedResult,
} from "../../../domain/destination-now.ts";
import type { Claim } from "../../contract/path.ts";
import { type GivenBack, tellOfAttempt, toChange, toTurn } from "../../sql/path/destination-health.ts";
import type { Changes } from "./destination-changes.ts";
import { destinationNow } from "./destination-now.ts";
import type { Transaction } from "../transaction.ts";

/** Applies one attempt, and notes in `changes` what it changed. */
export async function applyAttempt(
  { tx, changes }: { tx: Transaction; changes: Changes },
  destinationId: string,
  attempt: NotedAttempt,
): Promise<NotedResult> {
  const turn = toTurn(destinationNow(tx, destinationId), attempt);
  const after = await tellOfAttempt(tx, destinationId, turn);
  changes.add(destinationId, toChange(after, attempt.nowMs));
  return toNotedResult(turn.before, after, attempt.nowMs);
}

/** The destinations are locked by this transaction. */
export async function startProbes(tx: Transaction, destinationIds: readonly string[], claim: Claim): Promise<void> {
  if (destinationIds.length > 0) await tx.db.run(START_PROBES, claim.untilMs, claim.token, destinationIds);
}

/** The statement asks whether the claim is the probe's: the destination was read without a lock. */
export async function endProbe(tx: Transaction, { destinationId, claim, dueAtMs }: GivenBack): Promise<void> {
  await tx.db.run(END_PROBE, dueAtMs, destinationId, claim.token, claim.untilMs);
}

/** Whether giving back a claim may end a probe: most destinations are healthy, and nothing is written for them. */
export const mayBeProbe = ({ health, probeToken }: DestinationNow, token: string): boolean =>
  isOpen(health) && probeToken === token;

const START_PROBES = `-- name: hold destinations back for their probes
  update destinations d
  set not_before_at = $1, probe_token = $2
  where d.id = any ($3::text[]) and d.bucket = any ($buckets)`;

const END_PROBE = `-- name: end hold of probe
  update destinations d
  set not_before_at = $1, probe_token = null
  where d.id = $2 and d.consecutive_opens > 0 and d.probe_token = $3 and d.not_before_at = $4
    and d.bucket = any ($buckets)`;
