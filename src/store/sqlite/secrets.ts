/**
 * An account's verification secrets: the current one, and a next one while they are being rotated. Whoever signs goes
 * by `becomes_current_at`, so that a node that has not seen the switch signs right all the same.
 */
import type { RotateSecret, SwitchSecret, StoredSecrets } from "../contract/accounts.ts";
import { writeAudit } from "./audit.ts";
import { bumpConfigVersion, configVersionOf } from "./config-version.ts";
import type { Transaction } from "./transaction.ts";

export function rotateSecret(tx: Transaction, params: RotateSecret): "rotated" | "rotating_already" | "missing" {
  const { accountId, newSealedSecret, becomesCurrentAtMs, by, nowMs } = params;
  if (configVersionOf(tx, accountId) === null) return "missing";
  if (becomesCurrentAtMs === null) replaceAtOnce(tx, params);
  else if (tx.db.run(INSERT_NEXT, accountId, newSealedSecret, nowMs, becomesCurrentAtMs) === 0)
    return "rotating_already";
  const subject = becomesCurrentAtMs === null ? "at once: it leaked" : "with both for 24 hours";
  writeAudit(tx, { accountId, nowMs, by, action: "secret_rotated", subject });
  bumpConfigVersion(tx, accountId);
  return "rotated";
}

function replaceAtOnce(tx: Transaction, { accountId, newSealedSecret, nowMs }: RotateSecret): void {
  tx.db.run(DELETE_SECRETS, accountId);
  tx.db.run(INSERT_CURRENT, accountId, newSealedSecret, nowMs);
}

export function switchSecret(tx: Transaction, params: SwitchSecret): "switched" | "unchanged" {
  const { accountId, onlyIfDue, by, nowMs } = params;
  const next = loadSecrets(tx, accountId)?.next ?? null;
  if (next === null || (onlyIfDue && next.becomesCurrentAtMs > nowMs)) return "unchanged";
  tx.db.run(DELETE_SECRETS, accountId);
  tx.db.run(INSERT_CURRENT, accountId, next.sealed, next.createdAtMs);
  writeAudit(tx, { accountId, nowMs, by, action: "secret_switched", subject: "" });
  bumpConfigVersion(tx, accountId);
  return "switched";
}

/** Those whose time has come, at most `limit` of them; returns how many. Part of the housekeeping. */
export function switchDueSecrets(tx: Transaction, { nowMs, limit }: { nowMs: number; limit: number }): number {
  const due = tx.db.all<{ accountId: string }>(LIST_DUE_SECRETS, nowMs, limit);
  const by = { person: "system", role: "system" } as const;
  for (const { accountId } of due) switchSecret(tx, { accountId, onlyIfDue: true, by, nowMs });
  return due.length;
}

/** `null`: no such account. */
export function loadSecrets(tx: Transaction, accountId: string): StoredSecrets | null {
  const rows = tx.db.all<SecretRow>(LIST_SECRETS, accountId);
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
  values (?, 'current', ?, ?)`;

const INSERT_NEXT = `-- name: insert next verification secret unless there is one
  insert into verification_secrets (account_id, role, sealed, created_at, becomes_current_at)
  values (?, 'next', ?, ?, ?)
  on conflict do nothing`;

const DELETE_SECRETS = `-- name: delete verification secrets of account
  delete from verification_secrets
  where account_id = ?`;

const LIST_SECRETS = `-- name: list verification secrets of account
  select role, sealed, created_at as "createdAtMs", becomes_current_at as "becomesCurrentAtMs"
  from verification_secrets
  where account_id = ?`;

/** Exported for the test that reads its plan. */
export const LIST_DUE_SECRETS = `-- name: list accounts whose next secret is due
  select account_id as "accountId"
  from verification_secrets
  where becomes_current_at <= ?
  order by becomes_current_at
  limit ?`;
