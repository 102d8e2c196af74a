/** Browsers that are signed in, known here by a hash of their token only. */
import type { Role } from "../../domain/role.ts";
import type { OpenSession, OpenSessionResult, StoredSession } from "../dashboard-verbs.ts";
import { writeAudit } from "./audit.ts";
import type { Transaction } from "./transaction.ts";

/** A link works once: it is locked, and marked as used in the transaction that opens its session. */
export async function openSession(tx: Transaction, params: OpenSession): Promise<OpenSessionResult> {
  const { tokenHash, sessionHash, expiresAtMs, nowMs } = params;
  const link = await tx.db.get<LinkRow>(LOCK_LINK, tokenHash);
  if (link === undefined) return { kind: "unknown" };
  if (link.usedAtMs !== null) return { kind: "used" };
  if (link.expiresAtMs <= nowMs) return { kind: "expired" };
  const { accountId, person, role } = link;
  await tx.db.run(USE_LINK, nowMs, tokenHash);
  await tx.db.run(INSERT_SESSION, sessionHash, accountId, person, role, expiresAtMs, nowMs);
  await writeAudit(tx, { accountId, nowMs, by: { person, role }, action: "signed_in", subject: "" });
  return { kind: "opened", session: { accountId, person, role, expiresAtMs } };
}

export async function loadSession(
  tx: Transaction,
  { sessionHash, nowMs }: { sessionHash: string; nowMs: number },
): Promise<StoredSession | null> {
  return (await tx.db.get<StoredSession>(FIND_SESSION, sessionHash, nowMs)) ?? null;
}

export async function endSession(tx: Transaction, { sessionHash }: { sessionHash: string }): Promise<void> {
  await tx.db.run(DELETE_SESSION, sessionHash);
}

interface LinkRow {
  readonly accountId: string;
  readonly person: string;
  readonly role: Role;
  readonly expiresAtMs: number;
  readonly usedAtMs: number | null;
}

const LOCK_LINK = `-- name: lock sign-in link
  select account_id as "accountId", person, role, expires_at as "expiresAtMs", used_at as "usedAtMs"
  from sign_in_links
  where token_hash = $1
  for no key update`;

const USE_LINK = `-- name: mark sign-in link as used
  update sign_in_links
  set used_at = $1
  where token_hash = $2`;

const INSERT_SESSION = `-- name: insert session
  insert into sessions (token_hash, account_id, person, role, expires_at, created_at)
  values ($1, $2, $3, $4, $5, $6)`;

const FIND_SESSION = `-- name: find session unless it has expired
  select account_id as "accountId", person, role, expires_at as "expiresAtMs"
  from sessions
  where token_hash = $1 and expires_at > $2`;

const DELETE_SESSION = `-- name: delete session
  delete from sessions
  where token_hash = $1`;
