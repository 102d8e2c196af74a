/** People's actions. Other verbs write their entries in their own transaction. */
import type { ListAudit, NewAuditEntry, StoredAuditEntry } from "../contract/people.ts";
import type { SqlTransaction } from "./transaction.ts";

export async function writeAudit(
  tx: SqlTransaction,
  { accountId, nowMs, by, action, subject }: NewAuditEntry,
): Promise<void> {
  await tx.db.run(INSERT_ENTRY, accountId, nowMs, by.person, by.role, by.address ?? null, action, subject);
}

export async function listAudit(
  tx: SqlTransaction,
  { accountId, action, before, limit }: ListAudit,
): Promise<StoredAuditEntry[]> {
  const beforeSeq = before?.seq ?? Number.MAX_SAFE_INTEGER;
  const rows =
    action === undefined
      ? await tx.db.all<StoredAuditEntry>(LIST_ENTRIES, accountId, beforeSeq, limit)
      : await tx.db.all<StoredAuditEntry>(LIST_ENTRIES_OF_ACTION, accountId, beforeSeq, limit, action);
  return rows.map((row) => ({ ...row }));
}

const INSERT_ENTRY = `-- name: insert audit entry
  insert into audit_entries (account_id, at, person, role, address, action, subject)
  values ($1, $2, $3, $4, $5, $6, $7)`;

/** Exported for the tests that read its plan, like the next one. */
export const LIST_ENTRIES = `-- name: list newest audit entries of account
  select seq, at as "atMs", person, role, address, action, subject
  from audit_entries
  where account_id = $1 and seq < $2
  order by seq desc
  limit $3`;

export const LIST_ENTRIES_OF_ACTION = `-- name: list newest audit entries of one action
  select seq, at as "atMs", person, role, address, action, subject
  from audit_entries
  where account_id = $1 and seq < $2 and action = $4
  order by seq desc
  limit $3`;
