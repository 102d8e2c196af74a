/** The breaker's row on SQLite: `../../sql/path/destinations.ts` says what it keeps true. */
import {
  type DestinationNow,
  type HealthChange,
  type NotedAttempt,
  type NotedResult,
  toNotedResult,
} from "../../../domain/destination-now.ts";
import type { Claim } from "../../contract/path.ts";
import {
  type GivenBack,
  isProbedBy,
  isToWrite,
  notifyOfAttempt,
  toChange,
  toHealthChange,
} from "../../sql/path/destinations.ts";
import { changeDestination } from "./destination-changes.ts";
import { destinationNow } from "./destination-now.ts";
import type { Transaction } from "../transaction.ts";

/** Applies one attempt, and writes only what it changed: a success of a healthy destination costs nothing. */
export function applyAttempt(tx: Transaction, id: string, attempt: NotedAttempt): NotedResult | Promise<NotedResult> {
  const before = attempt.succeeded ? destinationNow(tx, id) : withSetUp(tx, id);
  const change = toHealthChange(before, attempt);
  return isToWrite(change) ? applyChange(tx, id, change) : toNotedResult(change.before, change.before, change.nowMs);
}

function withSetUp(tx: Transaction, id: string): DestinationNow {
  const destination = destinationNow(tx, id);
  return { ...destination, setUpAtMs: tx.db.get<{ setUpAtMs: number }>(FIND_SET_UP, id)?.setUpAtMs ?? null };
}

async function applyChange(tx: Transaction, id: string, change: HealthChange): Promise<NotedResult> {
  const after = await notifyOfAttempt(tx, id, change);
  changeDestination(tx, id, toChange(after, change.nowMs));
  return toNotedResult(change.before, after, change.nowMs);
}

export function startProbe(tx: Transaction, destinationId: string, claim: Claim): void {
  tx.db.run(START_PROBE, claim.untilMs, claim.token, destinationId);
  tx.destinations.delete(destinationId);
}

export function endProbe(tx: Transaction, { destinationId, claim, dueAtMs }: GivenBack): void {
  if (!isProbedBy(destinationNow(tx, destinationId), claim)) return;
  tx.db.run(END_PROBE, dueAtMs, destinationId);
  tx.destinations.delete(destinationId);
}

const FIND_SET_UP = `-- name: find when destination was set up
  select updated_at as "setUpAtMs"
  from destinations
  where id = ?`;

const START_PROBE = `-- name: hold destination back for its probe
  update destinations
  set not_before_at = ?, probe_token = ?
  where id = ?`;

const END_PROBE = `-- name: end hold of probe
  update destinations
  set not_before_at = ?, probe_token = null
  where id = ?`;
