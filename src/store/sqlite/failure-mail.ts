/** Who is told when an account's destinations fail. */
import type { SaveFailureMail } from "../dashboard-verbs.ts";
import { writeAudit } from "./audit.ts";
import { dropNotices } from "./notices.ts";
import type { Transaction } from "./transaction.ts";

export function saveFailureMail(tx: Transaction, { accountId, addresses, by, nowMs }: SaveFailureMail): void {
  const addressesJson = JSON.stringify(addresses);
  const isChanged = tx.db.run(SAVE_FAILURE_MAIL, addressesJson, accountId, addressesJson) === 1;
  if (!isChanged) return;
  if (addresses.length === 0) dropNotices(tx, accountId);
  const subject = addresses.length === 0 ? "nobody" : addresses.join(", ");
  writeAudit(tx, { accountId, nowMs, by, action: "failure_mail_changed", subject });
}

export function loadFailureMail(tx: Transaction, { accountId }: { accountId: string }): string[] {
  const found = tx.db.get<{ addresses: string }>(FIND_FAILURE_MAIL, accountId);
  return found === undefined ? [] : (JSON.parse(found.addresses) as string[]);
}

const SAVE_FAILURE_MAIL = `-- name: save addresses for failures if they differ
  update accounts
  set failure_mail = ?
  where id = ? and failure_mail <> ?`;

const FIND_FAILURE_MAIL = `-- name: find addresses for failures
  select failure_mail as addresses
  from accounts
  where id = ?`;
