/**
 * An account's verification secrets: the current one, and a next one while they are being rotated. Signing goes
 * by `becomes_current_at`, so that a node that has not seen the switch signs right all the same.
 */
import type { RotateSecret, SwitchSecret, StoredSecrets } from "../../contract/accounts.ts";
import { writeAudit } from "../audit.ts";
import { bumpConfigVersion, lockSetUp } from "../config-version.ts";
import type { SqlTransaction } from "../transaction.ts";

export async function rotateSecret(
  tx: SqlTransaction,
  params: RotateSecret,
): Promise<"rotated" | "rotating_already" | "missing"> {
  const { accountId, newSealedSecret, becomesCurrentAtMs, by, nowMs } = params;
  if ((await lockSetUp(tx, accountId)) === null) return "missing";
  if (becomesCurrentAtMs === null) await replaceAtOnce(tx, params);
  else if ((await tx.db.run(INSERT_NEXT, accountId, newSealedSecret, nowMs, becomesCurrentAtMs)) === 0)
    return "rotating_already";
  const subject = becomesCurrentAtMs === null ? "at once: it leaked" : "with both for 24 hours";
  await writeAudit(tx, { accountId, nowMs, by, action: "secret_rotated", subject });
  await bumpConfigVersion(tx, accountId);
  return "rotated";
}

async function replaceAtOnce(tx: SqlTransaction, { accountId, newSealedSecret, nowMs }: RotateSecret): Promise<void> {
  await tx.db.run(DELETE_SECRETS, accountId);
  await tx.db.run(INSERT_CURRENT, accountId, newSealedSecret, nowMs);
}

export async function switchSecret(tx: SqlTransaction, params: SwitchSecret): Promise<"switched" | "unchanged"> {
  const { accountId, onlyIfDue, by, nowMs } = params;
  await lockSetUp(tx, accountId);
  const next = (await loadSecrets(tx, accountId))?.next ?? null;
  if (next === null || (onlyIfDue && next.becomesCurrentAtMs > nowMs)) return "unchanged";
  await tx.db.run(DELETE_SECRETS, accountId);
  await tx.db.run(INSERT_CURRENT, accountId, next.sealed, next.createdAtMs);
  await writeAudit(tx, { accountId, nowMs, by, action: "secret_switched", subject: "" });
  await bumpConfigVersion(tx, accountId);
  return "switched";
}

/** Those whose time has come, at most `limit` of them; returns how many. Part of the housekeeping. */
export async function switchDueSecrets(
  tx: SqlTransaction,
  { nowMs, limit }: { nowMs: number; limit: number },
): Promise<number> {
  const due = await tx.db.all<{ accountId: string }>(LIST_DUE_SECRETS, nowMs, limit);
  const by = { person: "system", role: "system" } as const;
  for (const { accountId } of due) await switchSecret(tx, { accountId, onlyIfDue: true, by, nowMs });
  return due.length;
}

/** `null`: no such account. */
export async function loadSecrets(tx: SqlTransaction, accountId: string): Promise<StoredSecrets | null> {
  const rows = await tx.db.all<SecretRow>(LIST_SECRETS, accountId);
  const current = rows.find(({ role }) => role === "current");
  if (current === undefined) return null;
  const next = rows.find(({ role }) => role === "next");
  return {
    current: { sealed: current.sealed, createdAtMs: current.createdAtMs },
    next:
      next === undefined
        ? null
        : { sealed: next.sealed, createdAtMs: next.createdAtMs, becomesCurrentAtMs: next.becomesCurrentAtMs ?? 0 },
  };
}

interface SecretRow {
  readonly role: "current" | "next";
  readonly sealed: string;
  readonly createdAtMs: number;
  readonly becomesCurrentAtMs: number | null;
}

const INSERT_CURRENT = `-- name: insert current verification secret
  insert into verification_secrets (account_id, role, sealed, created_at)
  values ($1, 'current', $2, $3)`;

const INSERT_NEXT = `-- name: insert next verification secret unless there is one
  insert into verification_secrets (account_id, role, sealed, created_at, becomes_current_at)
  values ($1, 'next', $2, $3, $4)
  on conflict do nothing`;

const DELETE_SECRETS = `-- name: delete verification secrets of account
  delete from verification_secrets
  where account_id = $1`;

const LIST_SECRETS = `-- name: list verification secrets of account
  select role, sealed, created_at as "createdAtMs", becomes_current_at as "becomesCurrentAtMs"
  from verification_secrets
  where account_id = $1`;

/** Exported for the test that reads its plan. */
export const LIST_DUE_SECRETS = `-- name: list accounts whose next secret is due
  select account_id as "accountId"
  from verification_secrets
  where becomes_current_at <= $1
  order by becomes_current_at
  limit $2`;
