/**
 * Demo alerts. A save is guarded by the revision that the editor saw, so that two people cannot overwrite each other
 * without noticing.
 */
import type { AlertAudience } from "../../../domain/alert.ts";
import { assert } from "../../../lib/assert.ts";
import type {
  DeleteAlert,
  SaveAlert,
  SaveAlertResult,
  StoredAccount,
  StoredDestination,
} from "../../contract/accounts.ts";
import { writeAudit } from "../audit.ts";
import { bumpConfigVersion, lockSetUp } from "../config-version.ts";
import { type ChangeSteps, deleteDestination } from "../path/destinations.ts";
import { type DestinationSteps, saveDestination } from "./destinations.ts";
import type { Flag, SqlTransaction } from "../transaction.ts";
import type { Conditions } from "../../../domain/conditions.ts";

type StoredAlert = StoredAccount["alerts"][number];

export async function saveAlert<Tx extends SqlTransaction>(
  tx: Tx,
  params: SaveAlert,
  dialect: DestinationSteps<Tx>,
): Promise<SaveAlertResult> {
  const { accountId, alert, expectedRevision } = params;
  // Sent together, and answered one after the other: what is read is as it is under the lock.
  const [version, found] = await Promise.all([
    lockSetUp(tx, accountId),
    tx.db.get<FoundAlert>(FIND_ALERT, accountId, alert.id),
  ]);
  if (version === null) return { kind: "account_missing" };
  if (found === undefined)
    return expectedRevision === null ? await createAlert(tx, params, dialect) : { kind: "alert_missing" };
  if (found.isDeleted) return { kind: "alert_missing" };
  // A create that finds its alert is a repeat after a lost answer.
  if (found.revision !== expectedRevision) return { kind: "edited_meanwhile", revision: found.revision };
  return await updateAlert(tx, { ...params, found }, dialect);
}

async function createAlert<Tx extends SqlTransaction>(
  tx: Tx,
  params: SaveAlert,
  dialect: DestinationSteps<Tx>,
): Promise<SaveAlertResult> {
  const { accountId, alertsMax, by, nowMs } = params;
  const count = (await tx.db.get<{ count: number }>(COUNT_ALERTS, accountId))?.count ?? 0;
  if (count >= alertsMax) return { kind: "limit_reached" };
  const { id, ...fields } = alertColumns(params);
  const owner = { kind: "alert", id } as const;
  const destinationId = params.destination?.id ?? null;
  await saveDestination(tx, { accountId, owner, setup: params.destination, by, nowMs }, dialect);
  await Promise.all([
    tx.db.run(INSERT_ALERT, accountId, id, ...Object.values(fields), destinationId, by.person, nowMs, nowMs),
    writeAudit(tx, { accountId, nowMs, by, action: "alert_created", subject: params.alert.name }),
    bumpConfigVersion(tx, accountId),
  ]);
  return { kind: "saved", revision: 1 };
}

async function updateAlert<Tx extends SqlTransaction>(
  tx: Tx,
  params: SaveAlert & { readonly found: FoundAlert },
  dialect: DestinationSteps<Tx>,
): Promise<SaveAlertResult> {
  const { accountId, destination, found, by, nowMs } = params;
  // Deliveries wait for the destination by its id: replacing it would leave them behind.
  assert(
    found.destinationId === null || destination === null || found.destinationId === destination.id,
    `alert ${params.alert.id} already has the destination ${found.destinationId}`,
  );
  const { id, ...fields } = alertColumns(params);
  const owner = { kind: "alert", id } as const;
  const destinationId = destination?.id ?? found.destinationId;
  const revision = found.revision + 1;
  // First: it may lock the destination, and the account's row is locked last.
  await saveDestination(tx, { accountId, owner, setup: destination, by, nowMs }, dialect);
  await Promise.all([
    tx.db.run(UPDATE_ALERT, ...Object.values(fields), destinationId, revision, by.person, nowMs, accountId, id),
    writeAudit(tx, { accountId, nowMs, by, action: "alert_changed", subject: params.alert.name }),
    bumpConfigVersion(tx, accountId),
  ]);
  return { kind: "saved", revision };
}

/** The row stays, without a place in any list: the log still names it. */
export async function deleteAlert<Tx extends SqlTransaction>(
  tx: Tx,
  params: DeleteAlert,
  dialect: ChangeSteps<Tx>,
): Promise<"deleted" | "missing" | "edited_meanwhile"> {
  const { accountId, alertId, expectedRevision, by, nowMs } = params;
  await lockSetUp(tx, accountId);
  const found = await tx.db.get<FoundAlert>(FIND_ALERT, accountId, alertId);
  if (found === undefined || found.isDeleted) return "missing";
  if (found.revision !== expectedRevision) return "edited_meanwhile";
  await tx.db.run(DELETE_ALERT, nowMs, accountId, alertId);
  if (found.destinationId !== null) await deleteDestination(tx, { id: found.destinationId, by, nowMs }, dialect);
  await writeAudit(tx, { accountId, nowMs, by, action: "alert_deleted", subject: found.name });
  await bumpConfigVersion(tx, accountId);
  return "deleted";
}

/** In the order of the statements' placeholders. */
function alertColumns({ alert }: SaveAlert) {
  return {
    id: alert.id,
    name: alert.name,
    audience: alert.audience,
    demos: JSON.stringify(alert.demos),
    intentLevels: JSON.stringify(alert.intentLevels),
    conditions: writeConditions(alert.conditions),
    webhooksOn: alert.webhooksOn,
  };
}

/** The account's alerts, oldest first. */
export async function loadAlerts(
  tx: SqlTransaction,
  accountId: string,
  destinations: ReadonlyMap<string, StoredDestination>,
): Promise<StoredAlert[]> {
  return (await tx.db.all<AlertRow>(LIST_ALERTS, accountId)).map((row) => ({
    id: row.id,
    name: row.name,
    audience: row.audience,
    demos: JSON.parse(row.demos) as string[],
    intentLevels: JSON.parse(row.intentLevels) as string[],
    conditions: readConditions(row.conditions),
    webhooksOn: Boolean(row.webhooksOn),
    revision: row.revision,
    changed: row.changedBy === null ? null : { by: row.changedBy, atMs: row.updatedAtMs },
    destination: row.destinationId === null ? null : (destinations.get(row.destinationId) ?? null),
  }));
}

interface FoundAlert {
  readonly name: string;
  readonly revision: number;
  readonly destinationId: string | null;
  readonly isDeleted: Flag;
}

interface AlertRow extends Omit<FoundAlert, "isDeleted"> {
  readonly id: string;
  readonly changedBy: string | null;
  readonly updatedAtMs: number;
  readonly audience: AlertAudience;
  readonly demos: string;
  readonly intentLevels: string;
  readonly conditions: string | null;
  readonly webhooksOn: Flag;
}

const FIND_ALERT = `-- name: find alert for saving
  select name, revision, destination_id as "destinationId", deleted_at is not null as "isDeleted"
  from alerts
  where account_id = $1 and id = $2`;

const COUNT_ALERTS = `-- name: count alerts of account
  select count(*) as count
  from alerts
  where account_id = $1 and deleted_at is null`;

const INSERT_ALERT = `-- name: insert alert
  insert into alerts
    (account_id, id, name, audience, demos, intent_levels, conditions, webhooks_on, destination_id, revision,
    changed_by, created_at, updated_at)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, 1, $10, $11, $12)`;

const UPDATE_ALERT = `-- name: update alert
  update alerts
  set name = $1, audience = $2, demos = $3, intent_levels = $4, conditions = $5, webhooks_on = $6, destination_id = $7,
    revision = $8, changed_by = $9, updated_at = $10
  where account_id = $11 and id = $12`;

const DELETE_ALERT = `-- name: delete alert
  update alerts
  set deleted_at = $1, updated_at = $1
  where account_id = $2 and id = $3`;

const LIST_ALERTS = `-- name: list alerts of account
  select id, name, audience, demos, intent_levels as "intentLevels", conditions, webhooks_on as "webhooksOn", revision,
    destination_id as "destinationId", changed_by as "changedBy", updated_at as "updatedAtMs"
  from alerts
  where account_id = $1 and deleted_at is null
  order by id`;

/* Conditions as a column has them: JSON, because they are only ever read and written whole; null for none. */

export const writeConditions = (conditions: Conditions | null): string | null =>
  conditions === null ? null : JSON.stringify(conditions);

export const readConditions = (text: string | null): Conditions | null =>
  text === null ? null : (JSON.parse(text) as Conditions);
