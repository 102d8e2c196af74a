/**
 * Owners of destinations that people make, name and delete: alerts, and webhooks of their own. A save is guarded by the
 * revision that the editor saw, so that two people cannot overwrite each other without noticing.
 */
import type { OwnerKind } from "../../../domain/event.ts";
import { assert } from "../../../lib/assert.ts";
import type {
  DeleteOwner,
  DeleteOwnerResult,
  DestinationSetup,
  SaveAlert,
  SaveOwnerResult,
} from "../../contract/accounts.ts";
import { writeAudit } from "../audit.ts";
import { bumpConfigVersion, lockSetUp } from "../config-version.ts";
import { type ChangeSteps, deleteDestination } from "../path/destinations.ts";
import type { Flag, SqlTransaction } from "../transaction.ts";
import { type DestinationSteps, isCallersIdTaken, isKnownToAll, saveDestination } from "./destinations.ts";

export interface OwnerTable {
  readonly kind: Extract<OwnerKind, "alert" | "webhook">;
  readonly name: "alerts" | "webhooks";
  /** Account, id, `values`, destination, author, twice the time. */
  readonly insert: string;
  /** `values`, destination, revision, author, time, account, id. */
  readonly update: string;
}

export interface SavedOwner extends Pick<SaveAlert, "accountId" | "expectedRevision" | "isDryRun" | "by" | "nowMs"> {
  readonly table: OwnerTable;
  readonly id: string;
  readonly name: string;
  /** Of the columns that only this table has, and the name, in the order of its statements' placeholders. */
  readonly values: readonly (string | boolean | null)[];
  readonly destination: DestinationSetup | null;
  readonly countMax: number;
}

export async function saveOwner<Tx extends SqlTransaction>(
  tx: Tx,
  saved: SavedOwner,
  dialect: DestinationSteps<Tx>,
): Promise<SaveOwnerResult> {
  const { table, accountId, id, expectedRevision } = saved;
  // Sent together, and answered one after the other: what is read is as it is under the lock.
  const [version, found] = await Promise.all([
    lockSetUp(tx, accountId),
    tx.db.get<FoundOwner>(findOwner(table), accountId, id),
  ]);
  if (version === null) return { kind: "account_missing" };
  if (!(await isKnownToAll(tx, saved.destination, dialect))) return { kind: "older_nodes" };
  if (found === undefined) return expectedRevision === null ? await create(tx, saved, dialect) : { kind: "missing" };
  if (found.isDeleted) return { kind: "missing" };
  // A create that finds its owner is a repeat after a lost answer.
  if (found.revision !== expectedRevision) return { kind: "edited_meanwhile", revision: found.revision };
  return await change(tx, { ...saved, found }, dialect);
}

async function create<Tx extends SqlTransaction>(
  tx: Tx,
  saved: SavedOwner,
  dialect: DestinationSteps<Tx>,
): Promise<SaveOwnerResult> {
  const { table, accountId, id, name, values, destination, countMax, isDryRun = false, by, nowMs } = saved;
  const count = (await tx.db.get<{ count: number }>(countOwners(table), accountId))?.count ?? 0;
  if (count >= countMax) return { kind: "limit_reached" };
  if (destination !== null && (await isCallersIdTaken(tx, accountId, destination))) {
    return { kind: "edited_meanwhile", revision: 0 };
  }
  if (isDryRun) return { kind: "saved", revision: 1 };
  await saveDestination(tx, { accountId, owner: { kind: table.kind, id }, setup: destination, by, nowMs }, dialect);
  await Promise.all([
    tx.db.run(table.insert, accountId, id, ...values, destination?.id ?? null, by.person, nowMs, nowMs),
    writeAudit(tx, { accountId, nowMs, by, action: `${table.kind}_created`, subject: name }),
    bumpConfigVersion(tx, accountId),
  ]);
  return { kind: "saved", revision: 1 };
}

async function change<Tx extends SqlTransaction>(
  tx: Tx,
  saved: SavedOwner & { readonly found: FoundOwner },
  dialect: DestinationSteps<Tx>,
): Promise<SaveOwnerResult> {
  const { table, accountId, id, name, values, destination, found, isDryRun = false, by, nowMs } = saved;
  // Deliveries wait for the destination by its id: replacing it would leave them behind.
  assert(
    found.destinationId === null || destination === null || found.destinationId === destination.id,
    `${table.kind} ${id} already has the destination ${found.destinationId}`,
  );
  const destinationId = destination?.id ?? found.destinationId;
  const revision = found.revision + 1;
  if (isDryRun) return { kind: "saved", revision };
  // First: it may lock the destination, and the account's row is locked last.
  await saveDestination(tx, { accountId, owner: { kind: table.kind, id }, setup: destination, by, nowMs }, dialect);
  await Promise.all([
    tx.db.run(table.update, ...values, destinationId, revision, by.person, nowMs, accountId, id),
    writeAudit(tx, { accountId, nowMs, by, action: `${table.kind}_changed`, subject: name }),
    bumpConfigVersion(tx, accountId),
  ]);
  return { kind: "saved", revision };
}

/** A verb that deletes one. The row stays, without a place in any list: the log still names it. */
export const deleteFrom =
  (table: OwnerTable) =>
  async <Tx extends SqlTransaction>(
    tx: Tx,
    { accountId, id, expectedRevision, by, nowMs }: DeleteOwner,
    dialect: ChangeSteps<Tx>,
  ): Promise<DeleteOwnerResult> => {
    await lockSetUp(tx, accountId);
    const found = await tx.db.get<FoundOwner>(findOwner(table), accountId, id);
    if (found === undefined || found.isDeleted) return "missing";
    if (found.revision !== expectedRevision) return "edited_meanwhile";
    await tx.db.run(markDeleted(table), nowMs, accountId, id);
    if (found.destinationId !== null) await deleteDestination(tx, { id: found.destinationId, by, nowMs }, dialect);
    await writeAudit(tx, { accountId, nowMs, by, action: `${table.kind}_deleted`, subject: found.name });
    await bumpConfigVersion(tx, accountId);
    return "deleted";
  };

interface FoundOwner {
  readonly name: string;
  readonly revision: number;
  readonly destinationId: string | null;
  readonly isDeleted: Flag;
}

const findOwner = ({ kind, name }: OwnerTable): string => `-- name: find ${kind} for saving
  select name, revision, destination_id as "destinationId", deleted_at is not null as "isDeleted"
  from ${name}
  where account_id = $1 and id = $2`;

const countOwners = ({ kind, name }: OwnerTable): string => `-- name: count ${kind}s of account
  select count(*) as count
  from ${name}
  where account_id = $1 and deleted_at is null`;

const markDeleted = ({ kind, name }: OwnerTable): string => `-- name: delete ${kind}
  update ${name}
  set deleted_at = $1, updated_at = $1
  where account_id = $2 and id = $3`;
