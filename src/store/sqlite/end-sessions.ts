/**
 * Signing people out from elsewhere: the product or an owner ends sessions that somebody else holds, and with them the
 * links that these people have not used yet.
 */
import { type EndedSessions, type EndSessions, boundsOf } from "../contract/people.ts";
import { writeAudit } from "./audit.ts";
import { idleSince } from "./sessions.ts";
import type { Transaction } from "./transaction.ts";

export function endSessions(tx: Transaction, params: EndSessions): EndedSessions {
  const { accountId, which, by, nowMs } = params;
  const links = endLinks(tx, params);
  const { id, exceptId, person } = boundsOf(which);
  const values = [accountId, nowMs, idleSince(nowMs), id, id, exceptId, exceptId, person, person] as const;
  const sessions = tx.db.all<{ id: string; person: string }>(END_SESSIONS, ...values);
  for (const subject of new Set([...sessions, ...links].map((ended) => ended.person))) {
    writeAudit(tx, { accountId, nowMs, by, action: "person_signed_out", subject });
  }
  return { ids: sessions.map((session) => session.id), links: links.length };
}

function endLinks(tx: Transaction, { accountId, which, nowMs }: EndSessions): readonly { readonly person: string }[] {
  const person = which.kind === "one" ? holderOf(tx, accountId, which.id) : boundsOf(which).person;
  // Nobody's session: there is nobody to sign out.
  if (person === undefined) return [];
  return tx.db.all<{ person: string }>(END_LINKS, nowMs, accountId, nowMs, person, person);
}

const holderOf = (tx: Transaction, accountId: string, id: string): string | undefined =>
  tx.db.get<{ person: string }>(FIND_HOLDER, accountId, id)?.person;

const FIND_HOLDER = `-- name: find whose session it is
  select person
  from sessions
  where account_id = ? and id = ?`;

/** Exported for the test that reads its plan, like the next one. */
export const END_LINKS = `-- name: end unused sign-in links
  update sign_in_links
  set ended_at = ?
  where account_id = ? and expires_at > ? and used_at is null and ended_at is null and (? is null or person = ?)
  returning person`;

export const END_SESSIONS = `-- name: end sessions
  delete from sessions
  where account_id = ? and expires_at > ? and seen_at > ?
    and (? is null or id = ?) and (? is null or id <> ?) and (? is null or person = ?)
  returning id, person`;
