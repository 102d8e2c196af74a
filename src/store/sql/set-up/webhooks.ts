/** Webhooks of their own: what only they have. `owners.ts` saves and deletes them. */
import { isGroup } from "../../../domain/event.ts";
import type { WantedEvents } from "../../../domain/webhook.ts";
import type { SaveOwnerResult, SaveWebhook, StoredAccount, StoredDestination } from "../../contract/accounts.ts";
import type { SqlTransaction } from "../transaction.ts";
import type { DestinationSteps } from "./destinations.ts";
import { deleteFrom, type OwnerTable, saveOwner } from "./owners.ts";

export async function saveWebhook<Tx extends SqlTransaction>(
  tx: Tx,
  { webhook: { id, name, events }, webhooksMax, ...params }: SaveWebhook,
  dialect: DestinationSteps<Tx>,
): Promise<SaveOwnerResult> {
  if (hasGroup(events) && !(await dialect.mayWrite(tx, "group"))) return { kind: "older_nodes" };
  const values = [name, JSON.stringify(events)];
  return await saveOwner(tx, { ...params, table: WEBHOOKS, id, name, values, countMax: webhooksMax }, dialect);
}

/** Older nodes would find no type of such a name, and send nothing. */
const hasGroup = (events: WantedEvents): boolean => events !== "all" && events.some(({ type }) => isGroup(type));

/** The account's webhooks, oldest first. */
export async function loadWebhooks(
  tx: SqlTransaction,
  accountId: string,
  destinations: Promise<ReadonlyMap<string, StoredDestination>>,
): Promise<StoredAccount["webhooks"]> {
  const rows = await tx.db.all<WebhookRow>(LIST_WEBHOOKS, accountId);
  const byId = await destinations;
  return rows.flatMap((row) => {
    const { id, name, events, revision, changedBy, updatedAtMs } = row;
    const destination = byId.get(row.destinationId);
    // One that was made after the destinations were read: the account's version is too old then, and it is read again.
    if (destination === undefined) return [];
    const changed = { by: changedBy, atMs: updatedAtMs };
    return [{ id, name, events: JSON.parse(events) as WantedEvents, revision, changed, destination }];
  });
}

interface WebhookRow {
  readonly id: string;
  readonly name: string;
  readonly events: string;
  readonly destinationId: string;
  readonly revision: number;
  readonly changedBy: string;
  readonly updatedAtMs: number;
}

const INSERT_WEBHOOK = `-- name: insert webhook
  insert into webhooks
    (account_id, id, name, events, destination_id, revision, changed_by, created_at, updated_at)
  values ($1, $2, $3, $4, $5, 1, $6, $7, $8)`;

const UPDATE_WEBHOOK = `-- name: update webhook
  update webhooks
  set name = $1, events = $2, destination_id = $3, revision = $4, changed_by = $5, updated_at = $6
  where account_id = $7 and id = $8`;

const WEBHOOKS: OwnerTable = { kind: "webhook", name: "webhooks", insert: INSERT_WEBHOOK, update: UPDATE_WEBHOOK };

export const deleteWebhook = deleteFrom(WEBHOOKS);

const LIST_WEBHOOKS = `-- name: list webhooks of account
  select id, name, events, destination_id as "destinationId", revision, changed_by as "changedBy",
    updated_at as "updatedAtMs"
  from webhooks
  where account_id = $1 and deleted_at is null
  order by id`;
