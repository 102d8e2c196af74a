/**
 * Browsers that are signed in, and the one-time links that they signed in by. Both are known here by a hash of their
 * token only.
 *
 * The product or an owner ends sessions that somebody else has, and with them the links that these people have not used
 * yet. Links are locked before sessions, as `openSession` locks them: a sign-in under way has either opened its
 * session, which is then found, or waits here for its link and learns that it has ended.
 */
import { LIMITS } from "../../../domain/limits.ts";
import type { Role } from "../../../domain/account.ts";
import { daysMs } from "../../../lib/duration.ts";
import {
  type CreateSignInLink,
  type EndedSession,
  type EndedSessions,
  type EndSession,
  type EndSessions,
  type ListedSession,
  type ListSessions,
  type LoadedSession,
  type LoadSession,
  type OpenSession,
  type OpenSessionResult,
  SESSION_SEEN_STEP_MS,
  type StoredSession,
  toBounds,
} from "../../contract/people.ts";
import { writeAudit } from "../audit.ts";
import { findConfigVersion } from "../config-version.ts";
import type { Flag, SqlTransaction } from "../transaction.ts";

/** A link works once: it is locked, and marked as used in the transaction that opens its session. */
export async function openSession(tx: SqlTransaction, params: OpenSession): Promise<OpenSessionResult> {
  const { tokenHash, sessionHash, sessionId, replacedHash, expiresAtMs, address = null, nowMs } = params;
  const link = await tx.db.get<LinkRow>(LOCK_LINK, tokenHash);
  if (link === undefined) return { kind: "unknown" };
  if (link.usedAtMs !== null) return { kind: "used" };
  if (link.endedAtMs !== null) return { kind: "ended" };
  if (link.expiresAtMs <= nowMs) return { kind: "expired" };
  const { accountId, person, role } = link;
  await tx.db.run(USE_LINK, nowMs, tokenHash);
  const replaced =
    replacedHash === null ? [] : await endHeld(tx, { ...params, sessionHash: replacedHash }, "session_replaced");
  const crowdedOut = await endCrowdedOut(tx, { accountId, nowMs });
  const who = [accountId, sessionHash, sessionId, person, role] as const;
  await tx.db.run(INSERT_SESSION, ...who, expiresAtMs, nowMs, nowMs);
  await writeAudit(tx, { accountId, nowMs, by: { person, role, address }, action: "signed_in", subject: "" });
  const session = { id: sessionId, accountId, person, role, expiresAtMs };
  return { kind: "opened", session, ended: [...replaced, ...crowdedOut] };
}

export async function loadSession(
  tx: SqlTransaction,
  { sessionHash, isUse, nowMs }: LoadSession,
): Promise<LoadedSession | null> {
  const found = await tx.db.get<SessionRow & { readonly isSuspended: Flag }>(
    FIND_SESSION,
    sessionHash,
    nowMs,
    idleSince(nowMs),
  );
  if (found === undefined) return null;
  const { seenAtMs, isSuspended, ...session } = found;
  const seenBeforeMs = nowMs - SESSION_SEEN_STEP_MS;
  if (isUse && seenAtMs <= seenBeforeMs) await tx.db.run(SEE_SESSION, nowMs, sessionHash, seenBeforeMs);
  return { ...session, isSuspended: Boolean(isSuspended) };
}

export async function endSession(tx: SqlTransaction, params: EndSession): Promise<readonly EndedSession[]> {
  return await endHeld(tx, params, params.isReplaced === true ? "session_replaced" : "signed_out");
}

export async function listSessions(tx: SqlTransaction, params: ListSessions): Promise<readonly ListedSession[]> {
  const { accountId, person = null, before, limit, nowMs } = params;
  const beforeId = before?.id ?? BEHIND_ALL_IDS;
  return await tx.db.all<ListedSession>(LIST_SESSIONS, accountId, beforeId, nowMs, idleSince(nowMs), person, limit);
}

/** A session lives while its last use is later. */
export const idleSince = (nowMs: number): number => nowMs - LIMITS.sessionIdleMs;

/** Ends what the browser that asks has held. The entry is in its own person's name. */
async function endHeld(
  tx: SqlTransaction,
  { sessionHash, address = null, nowMs }: EndSession,
  action: "signed_out" | "session_replaced",
): Promise<EndedSession[]> {
  const ended = await tx.db.get<SessionRow>(DELETE_SESSION, sessionHash);
  if (ended === undefined || !isAlive(ended, nowMs)) return [];
  const { accountId, id, person, role } = ended;
  await writeAudit(tx, { accountId, nowMs, by: { person, role, address }, action, subject: "" });
  return [{ accountId, id }];
}

/** For one more. Unused ones are the first to go, and are not written down. */
async function endCrowdedOut(
  tx: SqlTransaction,
  { accountId, nowMs }: { accountId: string; nowMs: number },
): Promise<EndedSession[]> {
  const kept = LIMITS.sessionsPerAccountMax - 1;
  const rows = await tx.db.all<SessionRow>(DELETE_BEYOND, accountId, kept);
  const ended = rows.filter((row) => isAlive(row, nowMs));
  const by = { person: "system", role: "system" } as const;
  for (const { person } of ended) {
    await writeAudit(tx, { accountId, nowMs, by, action: "session_crowded_out", subject: person });
  }
  return ended.map(({ id }) => ({ accountId, id }));
}

const isAlive = ({ expiresAtMs, seenAtMs }: SessionRow, nowMs: number): boolean =>
  expiresAtMs > nowMs && seenAtMs > idleSince(nowMs);

/** Behind every id of a session. */
const BEHIND_ALL_IDS = "ses_~";

interface SessionRow extends StoredSession {
  readonly seenAtMs: number;
}

interface LinkRow {
  readonly accountId: string;
  readonly person: string;
  readonly role: Role;
  readonly expiresAtMs: number;
  readonly usedAtMs: number | null;
  readonly endedAtMs: number | null;
}

/** Version 1.0.0 made others too, which opened no dashboard; its nodes may still run. */
const OF_DASHBOARD = "purpose = 'dashboard'";

const LOCK_LINK = `-- name: lock sign-in link
  select account_id as "accountId", person, role, expires_at as "expiresAtMs", used_at as "usedAtMs",
    ended_at as "endedAtMs"
  from sign_in_links
  where token_hash = $1 and ${OF_DASHBOARD}
  for no key update`;

const USE_LINK = `-- name: mark sign-in link as used
  update sign_in_links
  set used_at = $1
  where token_hash = $2`;

const INSERT_SESSION = `-- name: insert session
  insert into sessions (account_id, token_hash, id, person, role, expires_at, seen_at, created_at)
  values ($1, $2, $3, $4, $5, $6, $7, $8)`;

const FIND_SESSION = `-- name: find session unless it has expired or is idle
  select id, account_id as "accountId", person, role, expires_at as "expiresAtMs", seen_at as "seenAtMs",
    exists (select 1 from account_states a where a.account_id = sessions.account_id) as "isSuspended"
  from sessions
  where token_hash = $1 and ${OF_DASHBOARD} and expires_at > $2 and seen_at > $3`;

// Calls that a page makes at once wait for each other: those that find it written leave it alone.
const SEE_SESSION = `-- name: write down the use of a session
  update sessions
  set seen_at = $1
  where token_hash = $2 and seen_at <= $3`;

/** Exported for the test that reads its plan. */
export const LIST_SESSIONS = `-- name: list newest sessions of account
  select id, account_id as "accountId", person, role, expires_at as "expiresAtMs", seen_at as "seenAtMs",
    created_at as "createdAtMs"
  from sessions
  where account_id = $1 and ${OF_DASHBOARD} and id < $2 and expires_at > $3 and seen_at > $4
    and (cast($5 as text) is null or person = $5)
  order by id desc
  limit $6`;

const DELETE_BEYOND = `-- name: delete sessions that were used longest ago
  delete from sessions
  where account_id = $1 and id in (
    select id
    from sessions
    where account_id = $1 and ${OF_DASHBOARD}
    order by seen_at desc, id desc
    limit 1000000 offset $2
  )
  returning id, account_id as "accountId", person, role, expires_at as "expiresAtMs", seen_at as "seenAtMs"`;

const DELETE_SESSION = `-- name: delete session
  delete from sessions
  where token_hash = $1
  returning id, account_id as "accountId", person, role, expires_at as "expiresAtMs", seen_at as "seenAtMs"`;

export async function endSessions(tx: SqlTransaction, params: EndSessions): Promise<EndedSessions> {
  const { accountId, which, by, nowMs } = params;
  const links = await endLinks(tx, params);
  const { id, exceptId, person } = toBounds(which);
  const values = [accountId, nowMs, idleSince(nowMs), id, exceptId, person] as const;
  const sessions = await tx.db.all<{ id: string; person: string }>(END_SESSIONS, ...values);
  for (const subject of new Set([...sessions, ...links].map((ended) => ended.person))) {
    await writeAudit(tx, { accountId, nowMs, by, action: "person_signed_out", subject });
  }
  return { ids: sessions.map((session) => session.id), links: links.length };
}

async function endLinks(
  tx: SqlTransaction,
  { accountId, which, nowMs }: EndSessions,
): Promise<readonly { readonly person: string }[]> {
  const person = which.kind === "one" ? await findHolder(tx, accountId, which.id) : toBounds(which).person;
  // The session does not exist: no person is signed out.
  if (person === undefined) return [];
  return await tx.db.all<{ person: string }>(END_LINKS, nowMs, accountId, person);
}

const findHolder = async (tx: SqlTransaction, accountId: string, id: string): Promise<string | undefined> =>
  (await tx.db.get<{ person: string }>(FIND_HOLDER, accountId, id))?.person;

const FIND_HOLDER = `-- name: find whose session it is
  select person
  from sessions
  where account_id = $1 and id = $2`;

/** Exported for the test that reads its plan, like the next one. Locked in one order: two of these may meet. */
export const END_LINKS = `-- name: end unused sign-in links
  with unused as materialized (
    select token_hash
    from sign_in_links
    where account_id = $2 and expires_at > $1 and used_at is null and ended_at is null
      and (cast($3 as text) is null or person = $3)
    order by token_hash
    for no key update
  )
  update sign_in_links
  set ended_at = $1
  where token_hash in (select token_hash from unused)
  returning person`;

export const END_SESSIONS = `-- name: end sessions
  with ending as materialized (
    select token_hash
    from sessions
    where account_id = $1 and expires_at > $2 and seen_at > $3
      and (cast($4 as text) is null or id = $4) and (cast($5 as text) is null or id <> $5)
      and (cast($6 as text) is null or person = $6)
    order by token_hash
    for update
  )
  delete from sessions
  where token_hash in (select token_hash from ending)
  returning id, person`;

/** A link that has run out is remembered for a while, so that its page can say why it does not work. */
const REMEMBERED_MS = daysMs(1);

/** `created` is false when there is no such account. */
export async function createSignInLink(tx: SqlTransaction, params: CreateSignInLink): Promise<{ created: boolean }> {
  const { accountId, person, role, tokenHash, expiresAtMs, nowMs } = params;
  if ((await findConfigVersion(tx, accountId)) === null) return { created: false };
  await tx.db.run(INSERT_LINK, accountId, tokenHash, person, role, expiresAtMs, nowMs);
  return { created: true };
}

/** Exported for the test that reads its plan. */
export const DELETE_EXPIRED_LINKS = `-- name: delete sign-in links that ran out long ago
  with expired as materialized (
    select token_hash
    from sign_in_links
    where expires_at <= $1
    order by expires_at
    limit $2
  )
  delete from sign_in_links
  where token_hash in (select token_hash from expired)`;

/** Part of the housekeeping; returns how many. */
export async function deleteExpiredLinks(
  tx: SqlTransaction,
  { nowMs, limit }: { nowMs: number; limit: number },
): Promise<number> {
  return await tx.db.run(DELETE_EXPIRED_LINKS, nowMs - REMEMBERED_MS, limit);
}

const INSERT_LINK = `-- name: insert sign-in link
  insert into sign_in_links (account_id, token_hash, person, role, expires_at, created_at)
  values ($1, $2, $3, $4, $5, $6)`;
