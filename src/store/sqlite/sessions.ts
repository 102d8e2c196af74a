/** Browsers that are signed in, known here by a hash of their token only. */
import type { Role } from "../../domain/role.ts";
import type { OpenSession, OpenSessionResult, StoredSession } from "../dashboard-verbs.ts";
import { writeAudit } from "./audit.ts";
import type { Transaction } from "./transaction.ts";

/** A link works once: it is marked as used in the transaction that opens its session. */
export function openSession(tx: Transaction, params: OpenSession): OpenSessionResult {
  const { tokenHash, sessionHash, expiresAtMs, nowMs } = params;
  const link = tx.db.get<LinkRow>(FIND_LINK, tokenHash);
  if (link === undefined) return { kind: "unknown" };
  if (link.usedAtMs !== null) return { kind: "used" };
  if (link.expiresAtMs <= nowMs) return { kind: "expired" };
  const { accountId, person, role } = link;
  tx.db.run(USE_LINK, nowMs, tokenHash);
  tx.db.run(INSERT_SESSION, sessionHash, accountId, person, role, expiresAtMs, nowMs);
  writeAudit(tx, { accountId, nowMs, by: { person, role }, action: "signed_in", subject: "" });
  return { kind: "opened", session: { accountId, person, role, expiresAtMs } };
}

export function loadSession(
  tx: Transaction,
  { sessionHash, nowMs }: { sessionHash: string; nowMs: number },
): StoredSession | null {
  const session = tx.db.get<StoredSession>(FIND_SESSION, sessionHash, nowMs);
  return session === undefined ? null : { ...session };
}

export function endSession(tx: Transaction, { sessionHash }: { sessionHash: string }): void {
  tx.db.run(DELETE_SESSION, sessionHash);
}

interface LinkRow {
  readonly accountId: string;
  readonly person: string;
  readonly role: Role;
  readonly expiresAtMs: number;
  readonly usedAtMs: number | null;
}

const FIND_LINK = `-- name: find sign-in link
  select account_id as "accountId", person, role, expires_at as "expiresAtMs", used_at as "usedAtMs"
  from sign_in_links
  where token_hash = ?`;

const USE_LINK = `-- name: mark sign-in link as used
  update sign_in_links
  set used_at = ?
  where token_hash = ?`;

const INSERT_SESSION = `-- name: insert session
  insert into sessions (token_hash, account_id, person, role, expires_at, created_at)
  values (?, ?, ?, ?, ?, ?)`;

const FIND_SESSION = `-- name: find session unless it has expired
  select account_id as "accountId", person, role, expires_at as "expiresAtMs"
  from sessions
  where token_hash = ? and expires_at > ?`;

const DELETE_SESSION = `-- name: delete session
  delete from sessions
  where token_hash = ?`;
