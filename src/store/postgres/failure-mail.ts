/** Who is told when an account's destinations fail. */
import type { SaveFailureMail } from "../dashboard-verbs.ts";
import { writeAudit } from "./audit.ts";
import { dropNotices } from "./notices.ts";
import type { Transaction } from "./transaction.ts";

export async function saveFailureMail(
  tx: Transaction,
  { accountId, addresses, by, nowMs }: SaveFailureMail,
): Promise<void> {
  const isChanged = (await tx.db.run(SAVE_FAILURE_MAIL, JSON.stringify(addresses), accountId)) === 1;
  if (!isChanged) return;
  if (addresses.length === 0) await dropNotices(tx, accountId);
  const subject = addresses.length === 0 ? "nobody" : addresses.join(", ");
  await writeAudit(tx, { accountId, nowMs, by, action: "failure_mail_changed", subject });
}

export async function loadFailureMail(tx: Transaction, { accountId }: { accountId: string }): Promise<string[]> {
  const found = await tx.db.get<{ addresses: string }>(FIND_FAILURE_MAIL, accountId);
  return found === undefined ? [] : (JSON.parse(found.addresses) as string[]);
}

const SAVE_FAILURE_MAIL = `-- name: save addresses for failures if they differ
  update accounts
  set failure_mail = $1
  where id = $2 and failure_mail <> $1`;

const FIND_FAILURE_MAIL = `-- name: find addresses for failures
  select failure_mail as addresses
  from accounts
  where id = $1`;
