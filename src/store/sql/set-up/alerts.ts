/** Demo alerts: what only they have. `owners.ts` saves and deletes them. */
import type { AlertAudience } from "../../../domain/alert.ts";
import type { Conditions } from "../../../domain/conditions.ts";
import type { SaveAlert, SaveOwnerResult, StoredAccount, StoredDestination } from "../../contract/accounts.ts";
import type { Flag, SqlTransaction } from "../transaction.ts";
import type { DestinationSteps } from "./destinations.ts";
import { deleteFrom, type OwnerTable, saveOwner } from "./owners.ts";

type StoredAlert = StoredAccount["alerts"][number];

export async function saveAlert<Tx extends SqlTransaction>(
  tx: Tx,
  { alert, alertsMax, ...params }: SaveAlert,
  dialect: DestinationSteps<Tx>,
): Promise<SaveOwnerResult> {
  const { id, name, audience, demos, intentLevels, conditions, webhooksOn } = alert;
  const lists = [JSON.stringify(demos), JSON.stringify(intentLevels), writeConditions(conditions)];
  const values = [name, audience, ...lists, webhooksOn];
  return await saveOwner(tx, { ...params, table: ALERTS, id, name, values, countMax: alertsMax }, dialect);
}

/** The account's alerts, oldest first. */
export async function loadAlerts(
  tx: SqlTransaction,
  accountId: string,
  destinations: Promise<ReadonlyMap<string, StoredDestination>>,
): Promise<StoredAlert[]> {
  const rows = await tx.db.all<AlertRow>(LIST_ALERTS, accountId);
  const byId = await destinations;
  return rows.map((row) => ({
    id: row.id,
    name: row.name,
    audience: row.audience,
    demos: JSON.parse(row.demos) as string[],
    intentLevels: JSON.parse(row.intentLevels) as string[],
    conditions: readConditions(row.conditions),
    webhooksOn: Boolean(row.webhooksOn),
    revision: row.revision,
    changed: row.changedBy === null ? null : { by: row.changedBy, atMs: row.updatedAtMs },
    destination: row.destinationId === null ? null : (byId.get(row.destinationId) ?? null),
  }));
}

interface AlertRow {
  readonly id: string;
  readonly name: string;
  readonly audience: AlertAudience;
  readonly demos: string;
  readonly intentLevels: string;
  readonly conditions: string | null;
  readonly webhooksOn: Flag;
  readonly destinationId: string | null;
  readonly revision: number;
  readonly changedBy: string | null;
  readonly updatedAtMs: number;
}

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

const ALERTS: OwnerTable = { kind: "alert", name: "alerts", insert: INSERT_ALERT, update: UPDATE_ALERT };

export const deleteAlert = deleteFrom(ALERTS);

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
