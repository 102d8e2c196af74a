/**
 * Changes that people make to a destination, with who did it and why. The account's version grows with each change of
 * state, so that an accept that was decided before it is refused.
 */
import type { Actor } from "../../../domain/actor.ts";
import { findCondition, pause, pauseForGood, turnOn } from "../../../domain/destination-now.ts";
import { assert } from "../../../lib/assert.ts";
import type { DestinationChange, SetDestinationState } from "../../contract/destinations.ts";
import { writeAudit } from "../audit.ts";
import type { Dialect } from "../dialect.ts";
import { endTrouble } from "../news/incidents.ts";
import { tellOperatorOfEnd } from "../news/operator-notices.ts";
import type { SqlTransaction } from "../transaction.ts";

/** A receiver that flaps makes two rows a minute; this is more than anybody reads. */
const CHANGES_MAX = 500;

export type ChangeSteps<Tx extends SqlTransaction> = Pick<Dialect<Tx>, "lockDestination" | "changeDestination">;

export async function setDestinationState<Tx extends SqlTransaction>(
  tx: Tx,
  { accountId, destinationId, state, by, reason, nowMs }: SetDestinationState,
  { lockDestination, changeDestination }: ChangeSteps<Tx>,
): Promise<"changed" | "unchanged" | "missing"> {
  const before = await lockDestination(tx, destinationId);
  if (before === null || before.accountId !== accountId || before.isDeleted) return "missing";
  const after = state === "on" ? turnOn(before) : pause(before);
  if (findCondition(after) === findCondition(before)) return "unchanged";
  if (state === "on") {
    await endTrouble(tx, destinationId, { before, end: "turned_on", nowMs });
    await tellOperatorOfEnd(tx, destinationId, { reason: "turned_on", before, nowMs });
  }
  const action = state === "on" ? "destination_turned_on" : "destination_paused";
  await writeAudit(tx, { accountId, nowMs, by, action, subject: await findName(tx, destinationId) });
  await changeDestination(tx, destinationId, { after, actor: by.person, reason, nowMs });
  return "changed";
}

/**
 * Paused for good, so that nothing more is claimed for it; the housekeeping cancels what waits, in steps. Its row stays
 * for the log, but its headers go: they may be secrets. The caller makes the account's version grow.
 */
export async function deleteDestination<Tx extends SqlTransaction>(
  tx: Tx,
  { id, by, nowMs }: { readonly id: string; readonly by: Actor; readonly nowMs: number },
  { lockDestination, changeDestination }: ChangeSteps<Tx>,
): Promise<void> {
  const before = await lockDestination(tx, id);
  assert(before !== null, `there is no destination ${id}`);
  await endTrouble(tx, id, { before, end: "deleted", nowMs });
  await tellOperatorOfEnd(tx, id, { reason: "deleted", before, nowMs });
  await changeDestination(tx, id, { after: pauseForGood(before), actor: by.person, reason: "deleted", nowMs });
  await tx.db.run(MARK_DELETED, nowMs, id);
  tx.destinations.delete(id);
}

/** The name that its owner gave it. */
export async function findName(tx: SqlTransaction, destinationId: string): Promise<string> {
  return (await tx.db.get<{ name: string | null }>(FIND_NAME, destinationId))?.name ?? destinationId;
}

export async function listDestinationChanges(
  tx: SqlTransaction,
  { accountId, destinationId }: { accountId: string; destinationId: string },
): Promise<DestinationChange[]> {
  const rows = await tx.db.all<DestinationChange>(LIST_CHANGES, accountId, destinationId, CHANGES_MAX);
  return rows.map((row) => ({ ...row }));
}

const MARK_DELETED = `-- name: mark destination as deleted
  update destinations
  set headers = '[]', deleted_at = $1, updated_at = $1
  where id = $2 and bucket = any ($buckets)`;

const FIND_NAME = `-- name: find name of destination's owner
  select coalesce(l.name, c.name) as name
  from destinations d
  left join alerts l on d.owner_kind = 'alert' and l.account_id = d.account_id and l.id = d.owner_id
    and l.bucket = d.bucket
  left join chat_assistants c on d.owner_kind = 'assistant' and c.account_id = d.account_id and c.id = d.owner_id
    and c.bucket = d.bucket
  where d.id = $1 and d.bucket = any ($buckets)`;

/** Exported for the test that reads its plan. */
export const LIST_CHANGES = `-- name: list newest changes of destination
  select at as "atMs", from_state as "from", to_state as "to", reason, actor
  from destination_changes
  where account_id = $1 and destination_id = $2 and bucket = any ($buckets)
  order by seq desc
  limit $3`;
