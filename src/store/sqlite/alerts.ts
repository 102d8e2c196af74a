/**
 * Demo alerts. A save is guarded by the revision that the editor saw, so that two people cannot overwrite each other
 * without noticing.
 */
import type { AlertAudience } from "../../domain/alert.ts";
import { assert } from "../../lib/assert.ts";
import type { SaveAlert, SaveAlertResult, StoredAccount, StoredDestination } from "../store.ts";
import { bumpConfigVersion, configVersionOf } from "./config-version.ts";
import { saveDestination } from "./destinations.ts";
import type { Transaction } from "./transaction.ts";

type StoredAlert = StoredAccount["alerts"][number];

export function saveAlert(tx: Transaction, params: SaveAlert): SaveAlertResult {
  const { accountId, alert, expectedRevision } = params;
  if (configVersionOf(tx, accountId) === null) return { kind: "account_missing" };
  const found = tx.db.get<FoundAlert>(FIND_ALERT, accountId, alert.id);
  if (found === undefined) return expectedRevision === null ? createAlert(tx, params) : { kind: "alert_missing" };
  // A create that finds its alert is a repeat whose first answer was lost.
  if (found.revision !== expectedRevision) return { kind: "edited_meanwhile", revision: found.revision };
  return updateAlert(tx, params, found);
}

function createAlert(tx: Transaction, params: SaveAlert): SaveAlertResult {
  const { accountId, alertsMax, nowMs } = params;
  const count = tx.db.get<{ count: number }>(COUNT_ALERTS, accountId)?.count ?? 0;
  if (count >= alertsMax) return { kind: "limit_reached" };
  const destinationId = saveDestination(tx, { accountId, setup: params.destination, nowMs });
  const { id, ...fields } = alertColumns(params);
  tx.db.run(INSERT_ALERT, accountId, id, ...Object.values(fields), destinationId, nowMs, nowMs);
  bumpConfigVersion(tx, accountId);
  return { kind: "saved", revision: 1 };
}

function updateAlert(tx: Transaction, params: SaveAlert, found: FoundAlert): SaveAlertResult {
  const { accountId, destination, nowMs } = params;
  // Deliveries wait for the destination by its id: replacing it would leave them behind.
  assert(
    found.destinationId === null || destination === null || found.destinationId === destination.id,
    `alert ${params.alert.id} already has the destination ${found.destinationId}`,
  );
  const destinationId = saveDestination(tx, { accountId, setup: destination, nowMs }) ?? found.destinationId;
  const revision = found.revision + 1;
  const { id, ...fields } = alertColumns(params);
  tx.db.run(UPDATE_ALERT, ...Object.values(fields), destinationId, revision, nowMs, accountId, id);
  bumpConfigVersion(tx, accountId);
  return { kind: "saved", revision };
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
    destination: row.destinationId === null ? null : (destinations.get(row.destinationId) ?? null),
  }));
}

interface FoundAlert {
  readonly revision: number;
  readonly destinationId: string | null;
}

interface AlertRow extends FoundAlert {
  readonly id: string;
  readonly name: string;
  readonly audience: AlertAudience;
  readonly demos: string;
  readonly intentLevels: string;
  readonly webhooksOn: number;
}

const FIND_ALERT = `-- name: find alert for saving
  select revision, destination_id as "destinationId"
  from alerts
  where account_id = ? and id = ?`;

const COUNT_ALERTS = `-- name: count alerts of account
  select count(*) as count
  from alerts
  where account_id = ?`;

const INSERT_ALERT = `-- name: insert alert
  insert into alerts
    (account_id, id, name, audience, demos, intent_levels, webhooks_on, destination_id, revision,
    created_at, updated_at)
  values (?, ?, ?, ?, ?, ?, ?, ?, 1, ?, ?)`;

const UPDATE_ALERT = `-- name: update alert
  update alerts
  set name = ?, audience = ?, demos = ?, intent_levels = ?, webhooks_on = ?, destination_id = ?, revision = ?,
    updated_at = ?
  where account_id = ? and id = ?`;

const LIST_ALERTS = `-- name: list alerts of account
  select id, name, audience, demos, intent_levels as "intentLevels", webhooks_on as "webhooksOn", revision,
    destination_id as "destinationId"
  from alerts
  where account_id = ?
  order by id`;
