/** What people did, in the order in which it was committed. Each verb writes its entry in its own transaction. */
import type { ListAudit, NewAuditEntry, StoredAuditEntry } from "../contract/people.ts";
import type { Transaction } from "./transaction.ts";

export function writeAudit(tx: Transaction, { accountId, nowMs, by, action, subject }: NewAuditEntry): void {
  tx.db.run(INSERT_ENTRY, accountId, nowMs, by.person, by.role, action, subject);
}

export function listAudit(tx: Transaction, { accountId, action, before, limit }: ListAudit): StoredAuditEntry[] {
  const beforeSeq = before?.seq ?? Number.MAX_SAFE_INTEGER;
  const rows =
    action === undefined
      ? tx.db.all<StoredAuditEntry>(LIST_ENTRIES, accountId, beforeSeq, limit)
      : tx.db.all<StoredAuditEntry>(LIST_ENTRIES_OF_ACTION, accountId, action, beforeSeq, limit);
  return rows.map((row) => ({ ...row }));
}

const INSERT_ENTRY = `-- name: insert audit entry
  insert into audit_entries (account_id, at, person, role, action, subject)
  values (?, ?, ?, ?, ?, ?)`;

/** Exported for the test that reads its plan, like the next one. */
export const LIST_ENTRIES = `-- name: list newest audit entries of account
  select seq, at as "atMs", person, role, action, subject
  from audit_entries
  where account_id = ? and seq < ?
  order by seq desc
  limit ?`;

export const LIST_ENTRIES_OF_ACTION = `-- name: list newest audit entries of one action
  select seq, at as "atMs", person, role, action, subject
  from audit_entries
  where account_id = ? and action = ? and seq < ?
  order by seq desc
  limit ?`;
