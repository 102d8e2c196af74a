/** Chat assistants and the destination that one may have. An assistant is the product's; we only learn of it. */
import type { PutChatAssistant, SaveAssistantDestination, StoredAccount, StoredDestination } from "../store.ts";
import { bumpConfigVersion, configVersionOf } from "./config-version.ts";
import { saveDestination } from "./destinations.ts";
import type { Transaction } from "./transaction.ts";

type StoredAssistant = StoredAccount["assistants"][number];

export function putChatAssistant(
  tx: Transaction,
  { accountId, assistant, rename, nowMs }: PutChatAssistant,
): { created: boolean } | { missing: "account" } {
  if (configVersionOf(tx, accountId) === null) return { missing: "account" };
  const { id, name } = assistant;
  const created = tx.db.run(INSERT_ASSISTANT, accountId, id, name, nowMs, nowMs) === 1;
  const renamed = !created && rename && tx.db.run(RENAME_ASSISTANT, name, nowMs, accountId, id, name) === 1;
  if (created || renamed) bumpConfigVersion(tx, accountId);
  return { created };
}

/**
 * `saved` is false when there is no such assistant, and when it has got a destination of another id meanwhile: sealed
 * headers belong to one id, so the caller must load the account again and repeat.
 */
export function saveAssistantDestination(
  tx: Transaction,
  { accountId, assistantId, destination, nowMs }: SaveAssistantDestination,
): { saved: boolean } {
  const found = tx.db.get<{ destinationId: string | null }>(FIND_ASSISTANT, accountId, assistantId);
  if (found === undefined) return { saved: false };
  if (destination === null) return { saved: true };
  if (found.destinationId !== null && found.destinationId !== destination.id) return { saved: false };
  const destinationId = saveDestination(tx, { accountId, setup: destination, nowMs });
  tx.db.run(LINK_ASSISTANT_DESTINATION, destinationId, nowMs, accountId, assistantId);
  bumpConfigVersion(tx, accountId);
  return { saved: true };
}

/** The account's assistants, by id. */
export function loadAssistants(
  tx: Transaction,
  accountId: string,
  destinations: ReadonlyMap<string, StoredDestination>,
): StoredAssistant[] {
  return tx.db.all<AssistantRow>(LIST_ASSISTANTS, accountId).map(({ id, name, destinationId }) => ({
    id,
    name,
    destination: destinationId === null ? null : (destinations.get(destinationId) ?? null),
  }));
}

interface AssistantRow {
  readonly id: string;
  readonly name: string;
  readonly destinationId: string | null;
}

const INSERT_ASSISTANT = `-- name: insert chat assistant unless it exists
  insert into chat_assistants (account_id, id, name, destination_id, created_at, updated_at)
  values (?, ?, ?, null, ?, ?)
  on conflict do nothing`;

const RENAME_ASSISTANT = `-- name: rename chat assistant if the name differs
  update chat_assistants
  set name = ?, updated_at = ?
  where account_id = ? and id = ? and name <> ?`;

const FIND_ASSISTANT = `-- name: find chat assistant
  select destination_id as "destinationId"
  from chat_assistants
  where account_id = ? and id = ?`;

const LINK_ASSISTANT_DESTINATION = `-- name: link chat assistant to its destination
  update chat_assistants
  set destination_id = ?, updated_at = ?
  where account_id = ? and id = ?`;

const LIST_ASSISTANTS = `-- name: list chat assistants of account
  select id, name, destination_id as "destinationId"
  from chat_assistants
  where account_id = ?
  order by id`;
