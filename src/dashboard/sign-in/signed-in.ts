/**
 * Who is signed in to the account, and signing them out: for owners alone, because a viewer ends their own session with
 * Sign out and has no say in those of others. A person who is signed out loses unused sign-in links too, see
 * `Store.endSessions`; the next call of each ended session is refused, because every call asks the store.
 */
import { problem } from "../../domain/problem.ts";
import { ok, refuse } from "../../lib/result.ts";
import type { EndedSessions, ListedSession, SessionChoice } from "../../store/contract/people.ts";
import type { DashboardContext } from "../call/context.ts";
import type { SignedIn } from "../contract/session.ts";
import { readIdCursor, writeIdCursor } from "../call/cursor.ts";
import { invalidQuery, type Handler, type Handlers } from "../call/operation.ts";
import type { Session } from "../guard/session.ts";

const SESSIONS_PER_PAGE = 20;

export const signedInHandlers = {
  "GET /signed-in": (ctx, call) => listSignedIn(ctx, call),
  async "DELETE /signed-in/:id"(ctx, { session, params: { id } }) {
    const { ids } = await signOut(ctx, session, { kind: "one", id });
    return ids.length > 0 ? ok(null) : refuse(alreadyGone);
  },
  async "DELETE /signed-in"(ctx, { session }) {
    await signOut(ctx, session, { kind: "others", exceptId: session.id });
    return ok(null);
  },
} satisfies Handlers;

const listSignedIn: Handler<"GET /signed-in"> = async ({ accounts: { store, clock } }, { session, query }) => {
  const before = readIdCursor(query.cursor);
  if (!before.ok) return refuse(invalidQuery([before.error]));
  const { accountId } = session;
  // One more than is shown tells whether there is another page.
  const limit = SESSIONS_PER_PAGE + 1;
  const found = await store.listSessions({ accountId, before: before.value, limit, nowMs: clock.nowMs() });
  const shown = found.slice(0, SESSIONS_PER_PAGE);
  const last = found.length > SESSIONS_PER_PAGE ? shown.at(-1) : undefined;
  const sessions = shown.map((each) => toSignedIn(each, session));
  return ok({ sessions, nextCursor: last === undefined ? null : writeIdCursor(last.id) });
};

function toSignedIn(
  { id, person, role, createdAtMs, seenAtMs, expiresAtMs }: ListedSession,
  asking: Session,
): SignedIn {
  return { id, person, role, sinceMs: createdAtMs, seenMs: seenAtMs, expiresAtMs, isYou: id === asking.id };
}

/** Their open pages end now on this node, and within two seconds on the others (see `../live/follow.ts`). */
async function signOut(
  { accounts: { store, clock }, live }: DashboardContext,
  { accountId, by }: Session,
  which: SessionChoice,
): Promise<EndedSessions> {
  const ended = await store.endSessions({ accountId, which, by, nowMs: clock.nowMs() });
  live.sessionsEnded(accountId, ended.ids);
  return ended;
}

const alreadyGone = problem("session_not_found", "This person is not signed in there any more.");
