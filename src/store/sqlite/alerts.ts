/**
 * Demo alerts. A save is guarded by the revision that the editor saw, so that two people cannot overwrite each other
 * without noticing.
 */
import type { AlertAudience } from "../../domain/alert.ts";
import { assert } from "../../lib/assert.ts";
import type {
  DeleteAlert,
  SaveAlert,
  SaveAlertResult,
  StoredAccount,
  StoredDestination,
} from "../contract/accounts.ts";
import { writeAudit } from "./audit.ts";
import { bumpConfigVersion, configVersionOf } from "./config-version.ts";
import { deleteDestination } from "./destination-changes.ts";
import { saveDestination } from "./destinations.ts";
import type { Transaction } from "./transaction.ts";

type StoredAlert = StoredAccount["alerts"][number];

export function saveAlert(tx: Transaction, params: SaveAlert): SaveAlertResult {
  const { accountId, alert, expectedRevision } = params;
  if (configVersionOf(tx, accountId) === null) return { kind: "account_missing" };
  const found = tx.db.get<FoundAlert>(FIND_ALERT, accountId, alert.id);
  if (found === undefined) return expectedRevision === null ? createAlert(tx, params) : { kind: "alert_missing" };
  if (found.isDeleted === 1) return { kind: "alert_missing" };
  // A create that finds its alert is a repeat whose first answer was lost.
  if (found.revision !== expectedRevision) return { kind: "edited_meanwhile", revision: found.revision };
  return updateAlert(tx, params, found);
}

function createAlert(tx: Transaction, params: SaveAlert): SaveAlertResult {
  const { accountId, alertsMax, by, nowMs } = params;
  const count = tx.db.get<{ count: number }>(COUNT_ALERTS, accountId)?.count ?? 0;
  if (count >= alertsMax) return { kind: "limit_reached" };
  const { id, ...fields } = alertColumns(params);
  const owner = { kind: "alert", id } as const;
  const destinationId = saveDestination(tx, { accountId, owner, setup: params.destination, nowMs });
  tx.db.run(INSERT_ALERT, accountId, id, ...Object.values(fields), destinationId, by.person, nowMs, nowMs);
  writeAudit(tx, { accountId, nowMs, by, action: "alert_created", subject: params.alert.name });
  bumpConfigVersion(tx, accountId);
  return { kind: "saved", revision: 1 };
}

function updateAlert(tx: Transaction, params: SaveAlert, found: FoundAlert): SaveAlertResult {
  const { accountId, destination, by, nowMs } = params;
  // Deliveries wait for the destination by its id: replacing it would leave them behind.
  assert(
    found.destinationId === null || destination === null || found.destinationId === destination.id,
    `alert ${params.alert.id} already has the destination ${found.destinationId}`,
  );
  const { id, ...fields } = alertColumns(params);
  const owner = { kind: "alert", id } as const;
  const destinationId = saveDestination(tx, { accountId, owner, setup: destination, nowMs }) ?? found.destinationId;
  const revision = found.revision + 1;
  tx.db.run(UPDATE_ALERT, ...Object.values(fields), destinationId, revision, by.person, nowMs, accountId, id);
  writeAudit(tx, { accountId, nowMs, by, action: "alert_changed", subject: params.alert.name });
  bumpConfigVersion(tx, accountId);
  return { kind: "saved", revision };
}

/** The row stays, without a place in any list: the log still names it. */
export function deleteAlert(tx: Transaction, params: DeleteAlert): "deleted" | "missing" | "edited_meanwhile" {
  const { accountId, alertId, expectedRevision, by, nowMs } = params;
  const found = tx.db.get<FoundAlert>(FIND_ALERT, accountId, alertId);
  if (found === undefined || found.isDeleted === 1) return "missing";
  if (found.revision !== expectedRevision) return "edited_meanwhile";
  tx.db.run(DELETE_ALERT, nowMs, nowMs, accountId, alertId);
  if (found.destinationId !== null) deleteDestination(tx, found.destinationId, { by, nowMs });
  writeAudit(tx, { accountId, nowMs, by, action: "alert_deleted", subject: found.name });
  bumpConfigVersion(tx, accountId);
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
    webhooksOn: Number(alert.webhooksOn),
  };
}

/** The account's alerts, oldest first. */
export function loadAlerts(
  tx: Transaction,
  accountId: string,
  destinations: ReadonlyMap<string, StoredDestination>,
): StoredAlert[] {
  return tx.db.all<AlertRow>(LIST_ALERTS, accountId).map((row) => ({
    id: row.id,
    name: row.name,
    audience: row.audience,
    demos: JSON.parse(row.demos) as string[],
    intentLevels: JSON.parse(row.intentLevels) as string[],
    webhooksOn: row.webhooksOn === 1,
    revision: row.revision,
    changed: row.changedBy === null ? null : { by: row.changedBy, atMs: row.updatedAtMs },
    destination: row.destinationId === null ? null : (destinations.get(row.destinationId) ?? null),
  }));
}

interface FoundAlert {
  readonly name: string;
  readonly revision: number;
  readonly destinationId: string | null;
  readonly isDeleted: number;
}

interface AlertRow extends Omit<FoundAlert, "isDeleted"> {
  readonly id: string;
  readonly changedBy: string | null;
  readonly updatedAtMs: number;
  readonly audience: AlertAudience;
  readonly demos: string;
  readonly intentLevels: string;
  readonly webhooksOn: number;
}

const FIND_ALERT = `-- name: find alert for saving
  select name, revision, destination_id as "destinationId", deleted_at is not null as "isDeleted"
  from alerts
  where account_id = ? and id = ?`;

const COUNT_ALERTS = `-- name: count alerts of account
  select count(*) as count
  from alerts
  where account_id = ? and deleted_at is null`;

const INSERT_ALERT = `-- name: insert alert
  insert into alerts
    (account_id, id, name, audience, demos, intent_levels, webhooks_on, destination_id, revision,
    changed_by, created_at, updated_at)
  values (?, ?, ?, ?, ?, ?, ?, ?, 1, ?, ?, ?)`;

const UPDATE_ALERT = `-- name: update alert
  update alerts
  set name = ?, audience = ?, demos = ?, intent_levels = ?, webhooks_on = ?, destination_id = ?, revision = ?,
    changed_by = ?, updated_at = ?
  where account_id = ? and id = ?`;

const DELETE_ALERT = `-- name: delete alert
  update alerts
  set deleted_at = ?, updated_at = ?
  where account_id = ? and id = ?`;

const LIST_ALERTS = `-- name: list alerts of account
  select id, name, audience, demos, intent_levels as "intentLevels", webhooks_on as "webhooksOn", revision,
    destination_id as "destinationId", changed_by as "changedBy", updated_at as "updatedAtMs"
  from alerts
  where account_id = ? and deleted_at is null
  order by id`;
