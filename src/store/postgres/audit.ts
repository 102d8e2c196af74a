/** What people did. Other verbs write their entries in their own transaction. */
import type { ListAudit, NewAuditEntry, StoredAuditEntry } from "../contract/people.ts";
import type { Transaction } from "./transaction.ts";

export async function writeAudit(
  tx: Transaction,
  { accountId, nowMs, by, action, subject }: NewAuditEntry,
): Promise<void> {
  await tx.db.run(INSERT_ENTRY, accountId, nowMs, by.person, by.role, action, subject);
}

export async function listAudit(
  tx: Transaction,
  { accountId, action, before, limit }: ListAudit,
): Promise<StoredAuditEntry[]> {
  const beforeSeq = before?.seq ?? Number.MAX_SAFE_INTEGER;
  return await tx.db.all<StoredAuditEntry>(LIST_ENTRIES, accountId, beforeSeq, limit, action ?? null);
}

const INSERT_ENTRY = `-- name: insert audit entry
  insert into audit_entries (account_id, at, person, role, action, subject)
  values ($1, $2, $3, $4, $5, $6)`;

/** Exported for the test that reads its plan. */
export const LIST_ENTRIES = `-- name: list newest audit entries of account
  select seq, at as "atMs", person, role, action, subject
  from audit_entries
  where account_id = $1 and seq < $2 and ($4::text is null or action = $4)
  order by seq desc
  limit $3`;
