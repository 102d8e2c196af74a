/**
 * Signing people out from elsewhere: the product or an owner ends sessions that somebody else holds, and with them the
 * links that these people have not used yet.
 *
 * Links before sessions, as `openSession` takes them: a sign-in under way has either opened its session, which is then
 * found, or waits here for its link and learns that it has ended.
 */
import { type EndedSessions, type EndSessions, toBounds } from "../../contract/people.ts";
import { writeAudit } from "../audit.ts";
import { idleSince } from "./sessions.ts";
import type { SqlTransaction } from "../transaction.ts";

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
  where account_id = $1 and id = $2 and bucket = any ($buckets)`;

/** Exported for the test that reads its plan, like the next one. Locked in one order: two of these may meet. */
export const END_LINKS = `-- name: end unused sign-in links
  with unused as materialized (
    select token_hash
    from sign_in_links
    where account_id = $2 and expires_at > $1 and used_at is null and ended_at is null
      and bucket = any ($buckets)
      and (cast($3 as text) is null or person = $3)
    order by token_hash
    for no key update
  )
  update sign_in_links
  set ended_at = $1
  where token_hash in (select token_hash from unused) and bucket = any ($buckets)
  returning person`;

export const END_SESSIONS = `-- name: end sessions
  with ending as materialized (
    select token_hash
    from sessions
    where account_id = $1 and expires_at > $2 and seen_at > $3 and bucket = any ($buckets)
      and (cast($4 as text) is null or id = $4) and (cast($5 as text) is null or id <> $5)
      and (cast($6 as text) is null or person = $6)
    order by token_hash
    for update
  )
  delete from sessions
  where token_hash in (select token_hash from ending) and bucket = any ($buckets)
  returning id, person`;
