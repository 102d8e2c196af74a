/** Chat assistants and the destination that one may have. An assistant is the product's; we only learn of it. */
import type {
  RemoveAssistantDestination,
  PutChatAssistant,
  SaveAssistantDestination,
  SaveAssistantDestinationResult,
  StoredAssistant,
  StoredDestination,
} from "../../contract/accounts.ts";
import { writeAudit } from "../audit.ts";
import { readConditions, writeConditions } from "./alerts.ts";
import { bumpConfigVersion, findConfigVersion, lockSetUp } from "../config-version.ts";
import { type ChangeSteps, deleteDestination } from "../path/destinations.ts";
import {
  type DestinationSteps,
  isCallersIdTaken,
  isKnownToAll,
  loadDestination,
  saveDestination,
} from "./destinations.ts";
import type { SqlTransaction } from "../transaction.ts";

export async function putChatAssistant(
  tx: SqlTransaction,
  { accountId, assistant, rename, nowMs }: PutChatAssistant,
): Promise<{ created: boolean } | { missing: "account" }> {
  if ((await findConfigVersion(tx, accountId)) === null) return { missing: "account" };
  const { id, name } = assistant;
  const created = (await tx.db.run(INSERT_ASSISTANT, accountId, id, name, nowMs, nowMs)) === 1;
  const renamed = !created && rename && (await tx.db.run(RENAME_ASSISTANT, name, nowMs, accountId, id)) === 1;
  if (created || renamed) await bumpConfigVersion(tx, accountId);
  return { created };
}

/** Guarded by the revision that the editor saw: it also means that its destination is still the same. */
export async function saveAssistantDestination<Tx extends SqlTransaction>(
  tx: Tx,
  params: SaveAssistantDestination,
  dialect: DestinationSteps<Tx>,
): Promise<SaveAssistantDestinationResult> {
  const { accountId, assistantId, destination, conditions = null, expectedRevision, by, nowMs } = params;
  const { assistantsMax = Infinity, isDryRun = false } = params;
  // Sent together, and answered one after the other: what is read is as it is under the lock.
  const [, found] = await Promise.all([
    lockSetUp(tx, accountId),
    tx.db.get<FoundAssistant>(FIND_ASSISTANT, accountId, assistantId),
  ]);
  if (found === undefined) return { kind: "assistant_missing" };
  const isOther = found.destinationId !== null && found.destinationId !== destination.id;
  if (isOther || found.revision !== expectedRevision) return { kind: "edited_meanwhile", revision: found.revision };
  const count = found.destinationId === null ? await tx.db.get<{ count: number }>(COUNT_WITH_WEBHOOK, accountId) : null;
  if ((count?.count ?? 0) >= assistantsMax) return { kind: "limit_reached" };
  if (await isCallersIdTaken(tx, accountId, destination)) return { kind: "edited_meanwhile", revision: 0 };
  if (!(await isKnownToAll(tx, destination, dialect))) return { kind: "older_nodes" };
  const revision = found.revision + 1;
  if (isDryRun) return { kind: "saved", revision };
  const owner = { kind: "assistant", id: assistantId } as const;
  const destinationId = await saveDestination(tx, { accountId, owner, setup: destination, by, nowMs }, dialect);
  const values = [destinationId, writeConditions(conditions), revision, by.person, nowMs];
  await Promise.all([
    tx.db.run(LINK_ASSISTANT_DESTINATION, ...values, accountId, assistantId),
    writeAudit(tx, { accountId, nowMs, by, action: "assistant_webhook_changed", subject: found.name }),
    bumpConfigVersion(tx, accountId),
  ]);
  return { kind: "saved", revision };
}

export async function removeAssistantDestination<Tx extends SqlTransaction>(
  tx: Tx,
  params: RemoveAssistantDestination,
  dialect: ChangeSteps<Tx>,
): Promise<"removed" | "missing" | "edited_meanwhile"> {
  const { accountId, assistantId, expectedRevision, by, nowMs } = params;
  await lockSetUp(tx, accountId);
  const found = await tx.db.get<FoundAssistant>(FIND_ASSISTANT, accountId, assistantId);
  if (found === undefined) return "missing";
  if (found.revision !== expectedRevision) return "edited_meanwhile";
  if (found.destinationId === null) return "removed";
  await deleteDestination(tx, { id: found.destinationId, by, nowMs }, dialect);
  const revision = found.revision + 1;
  await tx.db.run(LINK_ASSISTANT_DESTINATION, null, null, revision, by.person, nowMs, accountId, assistantId);
  await writeAudit(tx, { accountId, nowMs, by, action: "assistant_webhook_removed", subject: found.name });
  await bumpConfigVersion(tx, accountId);
  return "removed";
}

export async function loadAssistant(
  tx: SqlTransaction,
  { accountId, assistantId }: { accountId: string; assistantId: string },
): Promise<StoredAssistant | null> {
  const row = await tx.db.get<AssistantRow>(FIND_WHOLE_ASSISTANT, accountId, assistantId);
  if (row === undefined) return null;
  const destination = row.destinationId === null ? null : await loadDestination(tx, accountId, row.destinationId);
  return toStoredAssistant(row, destination);
}

/** The account's assistants, by id. */
export async function loadAssistants(
  tx: SqlTransaction,
  accountId: string,
  destinations: Promise<ReadonlyMap<string, StoredDestination>>,
): Promise<StoredAssistant[]> {
  const rows = await tx.db.all<AssistantRow>(LIST_ASSISTANTS, accountId);
  const byId = await destinations;
  return rows.map((row) => {
    const destination = row.destinationId === null ? undefined : byId.get(row.destinationId);
    return toStoredAssistant(row, destination ?? null);
  });
}

const toStoredAssistant = (
  { id, name, conditions, revision, changedBy, changedAtMs }: AssistantRow,
  destination: StoredDestination | null,
): StoredAssistant => ({
  id,
  name,
  conditions: readConditions(conditions),
  revision,
  changed: changedBy === null || changedAtMs === null ? null : { by: changedBy, atMs: changedAtMs },
  destination,
});

interface FoundAssistant {
  readonly name: string;
  readonly revision: number;
  readonly destinationId: string | null;
}

interface AssistantRow extends FoundAssistant {
  readonly id: string;
  readonly conditions: string | null;
  readonly changedBy: string | null;
  readonly changedAtMs: number | null;
}

const INSERT_ASSISTANT = `-- name: insert chat assistant unless it exists
  insert into chat_assistants (account_id, id, name, destination_id, created_at, updated_at)
  values ($1, $2, $3, null, $4, $5)
  on conflict do nothing`;

const RENAME_ASSISTANT = `-- name: rename chat assistant if the name differs
  update chat_assistants
  set name = $1, updated_at = $2
  where account_id = $3 and id = $4 and name <> $1`;

const FIND_ASSISTANT = `-- name: find chat assistant
  select name, revision, destination_id as "destinationId"
  from chat_assistants
  where account_id = $1 and id = $2`;

const FIND_WHOLE_ASSISTANT = `-- name: find chat assistant as it was saved
  select id, name, conditions, revision, changed_by as "changedBy", changed_at as "changedAtMs",
    destination_id as "destinationId"
  from chat_assistants
  where account_id = $1 and id = $2`;

const COUNT_WITH_WEBHOOK = `-- name: count chat assistants with a webhook
  select count(*) as count
  from chat_assistants
  where account_id = $1 and destination_id is not null`;

const LINK_ASSISTANT_DESTINATION = `-- name: link chat assistant to its destination
  update chat_assistants
  set destination_id = $1, conditions = $2, revision = $3, changed_by = $4, changed_at = $5, updated_at = $5
  where account_id = $6 and id = $7`;

const LIST_ASSISTANTS = `-- name: list chat assistants of account
  select id, name, conditions, revision, changed_by as "changedBy", changed_at as "changedAtMs",
    destination_id as "destinationId"
  from chat_assistants
  where account_id = $1
  order by id`;
