/** Browsers that are signed in, known here by a hash of their token only. */
import { LIMITS } from "../../domain/limits.ts";
import type { Role } from "../../domain/role.ts";
import {
  type LoadSession,
  type OpenSession,
  type OpenSessionResult,
  SESSION_SEEN_STEP_MS,
  type StoredSession,
} from "../dashboard-verbs.ts";
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
  await tx.db.run(INSERT_SESSION, sessionHash, accountId, person, role, expiresAtMs, nowMs, nowMs);
  await writeAudit(tx, { accountId, nowMs, by: { person, role }, action: "signed_in", subject: "" });
  return { kind: "opened", session: { accountId, person, role, expiresAtMs } };
}

export async function loadSession(
  tx: Transaction,
  { sessionHash, isUse, nowMs }: LoadSession,
): Promise<StoredSession | null> {
  const found = await tx.db.get<SessionRow>(FIND_SESSION, sessionHash, nowMs, nowMs - LIMITS.sessionIdleMs);
  if (found === undefined) return null;
  const { seenAtMs, ...session } = found;
  const seenBeforeMs = nowMs - SESSION_SEEN_STEP_MS;
  if (isUse && seenAtMs <= seenBeforeMs) await tx.db.run(SEE_SESSION, nowMs, sessionHash, seenBeforeMs);
  return session;
}

export async function endSession(tx: Transaction, { sessionHash }: { sessionHash: string }): Promise<void> {
  await tx.db.run(DELETE_SESSION, sessionHash);
}

interface SessionRow extends StoredSession {
  readonly seenAtMs: number;
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
  insert into sessions (token_hash, account_id, person, role, expires_at, seen_at, created_at)
  values ($1, $2, $3, $4, $5, $6, $7)`;

const FIND_SESSION = `-- name: find session unless it has expired or is idle
  select account_id as "accountId", person, role, expires_at as "expiresAtMs", seen_at as "seenAtMs"
  from sessions
  where token_hash = $1 and expires_at > $2 and seen_at > $3`;

// Of the calls that a page makes at once, each waits for the one before: those that find it written leave it alone.
const SEE_SESSION = `-- name: write down the use of a session
  update sessions
  set seen_at = $1
  where token_hash = $2 and seen_at <= $3`;

const DELETE_SESSION = `-- name: delete session
  delete from sessions
  where token_hash = $1`;
