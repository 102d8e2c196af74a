/**
 * Signing in and out: the two calls that write the session's cookie. Opening a link only shows the page, because mail
 * scanners and chat previews open links too; its button hands the token in here, and that uses it up.
 *
 *     link, 5 minutes, works once ──► session, 7 days ──► signed out (here or by somebody else), expired, or not used
 *                                                         for 12 hours
 */
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import Type from "typebox";
import { newId } from "../../domain/id.ts";
import { LIMITS } from "../../domain/limits.ts";
import { PROBLEMS, type Problem } from "../../domain/problem.ts";
import { areTogether, hashToken, isToken, newTokenBeside } from "../../domain/token.ts";
import { createValidator } from "../../events/validate.ts";
import type { Door } from "../../http/door.ts";
import { sendProblem } from "../../http/problem-response.ts";
import { toProblem } from "../../http/refusal.ts";
import { createTryCounter } from "../../http/try-counter.ts";
import { minutesMs } from "../../lib/duration.ts";
import type { EndedSession } from "../../store/contract/people.ts";
import { StoreUnavailable } from "../../store/contract/store.ts";
import { LINK_BYTES_MAX } from "../call/body-limits.ts";
import type { DashboardContext } from "../call/context.ts";
import { deriveCsrfToken, originFault } from "../guard/csrf.ts";
import type { Guard } from "../guard/guard.ts";
import { readBody } from "../call/read-call.ts";
import { type Session } from "../guard/session.ts";
import { toOpeningRefusals } from "./opening-refusals.ts";
import { buildSessionAnswer } from "./session-answer.ts";
import { clearedSessionCookie, readSessionCookie, sessionCookie } from "../guard/session-cookie.ts";

const BAD_LINKS_MAX = 20;
const BAD_LINKS_WINDOW_MS = minutesMs(1);

const tokenSchema = Type.Object({ token: Type.String({ maxLength: 256 }) }, { additionalProperties: false });
const checkToken = createValidator(tokenSchema);

export function registerSignIn(scope: FastifyInstance, ctx: DashboardContext, guard: Guard): void {
  const { clock, store, publicUrl } = ctx.accounts;
  const isTooMany = createTryCounter({ clock, triesMax: BAD_LINKS_MAX, windowMs: BAD_LINKS_WINDOW_MS });

  /** Open to everybody on our own page: the token in the body names the person. */
  const door: Door = (request) => originFault(request, publicUrl()) ?? "stranger";

  const signIn = { config: { door }, bodyLimit: LINK_BYTES_MAX, errorHandler: refuseUnread };
  scope.post("/sign-in", signIn, async (request, reply) => {
    const body = readBody(request, checkToken);
    if (!body.ok) return refuseTry(request, reply, body.error);
    const { token: linkToken } = body.value as { token: string };
    const held = readSessionCookie(request.headers.cookie, publicUrl());
    const { opened, token } = await openSession(ctx, { linkToken, held });
    if (opened.kind === "unknown") return refuseTry(request, reply, REFUSALS.unknown);
    if (opened.kind !== "opened") return sendProblem(reply, REFUSALS[opened.kind]);
    for (const ended of opened.ended) ctx.live.sessionsEnded(ended.accountId, [ended.id]);
    const { id, accountId, person, role, expiresAtMs } = opened.session;
    const by = { person, role };
    const session = { id, accountId, by, expiresAtMs, csrfToken: deriveCsrfToken(token), hash: hashToken(token) };
    ctx.live.configurationChanged(accountId);
    reply.header("set-cookie", sessionCookie(token, publicUrl(), expiresAtMs - clock.nowMs()));
    return await answerWithSession(reply, session);
  });

  scope.post("/sign-out", { config: { door: guard.doorFor("viewer") } }, async (request, reply) => {
    const { accountId, id, hash } = guard.getSession(request);
    await store.endSession({ sessionHash: hash, nowMs: clock.nowMs() });
    ctx.live.sessionsEnded(accountId, [id]);
    return reply.header("set-cookie", clearedSessionCookie(publicUrl())).code(204).send();
  });

  /** Every try without a link that there is counts, so that rubbish is no cheaper way to keep the service busy. */
  function refuseTry(request: FastifyRequest, reply: FastifyReply, why: Problem): FastifyReply {
    return sendProblem(reply, isTooMany(request.ip) ? REFUSALS.tooMany : why);
  }

  /** The body was too large, of another type, or did not come whole. */
  function refuseUnread(error: FastifyError, request: FastifyRequest, reply: FastifyReply): FastifyReply {
    const refusal = toProblem(error);
    // Everybody's error handler tells the operator of these.
    if (PROBLEMS[refusal.code].status >= 500) throw error;
    return refuseTry(request, reply, refusal);
  }

  async function answerWithSession(reply: FastifyReply, session: Session): Promise<FastifyReply> {
    const answer = await buildSessionAnswer(ctx, session);
    return answer.ok ? reply.send(answer.value) : sendProblem(reply, answer.error);
  }
}

interface Opening {
  readonly linkToken: string;
  /** The token of the session that this browser holds; `null` when it has none. */
  readonly held: string | null;
}

/** A browser has one session, in one account: a person who signs in again leaves none behind that they cannot end. */
async function openSession(ctx: DashboardContext, { linkToken, held }: Opening) {
  if (!isToken(linkToken)) return { opened: { kind: "unknown" } as const, token: "" };
  const { clock, random, store } = ctx.accounts;
  const nowMs = clock.nowMs();
  const token = newTokenBeside(linkToken, random);
  const isBeside = held !== null && areTogether(held, linkToken);
  const opened = await store.openSession({
    tokenHash: hashToken(linkToken),
    sessionHash: hashToken(token),
    sessionId: newId("ses", nowMs, random),
    replacedHash: isBeside ? hashToken(held) : null,
    expiresAtMs: nowMs + LIMITS.sessionMs,
    nowMs,
  });
  if (opened.kind !== "opened" || held === null || isBeside) return { opened, token };
  const elsewhere = await endElsewhere(ctx, held);
  return { opened: { ...opened, ended: [...opened.ended, ...elsewhere] }, token };
}

/**
 * In an account whose part of the database is away, the session cannot be ended, and cannot be used either. Its cookie
 * is replaced, so it ends unused; the account that was signed in to must not wait for that.
 */
async function endElsewhere({ accounts }: DashboardContext, held: string): Promise<readonly EndedSession[]> {
  const { clock, store } = accounts;
  try {
    return await store.endSession({ sessionHash: hashToken(held), isReplaced: true, nowMs: clock.nowMs() });
  } catch (error) {
    if (error instanceof StoreUnavailable) return [];
    throw error;
  }
}

const REFUSALS = toOpeningRefusals({
  thing: "sign-in link",
  howToGetOne: "Ask for a new one: your product makes it, and so does the command bellwire dashboard-link.",
});
