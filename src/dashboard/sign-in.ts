/**
 * Signing in and out: the two calls that write the session's cookie. Opening a link only shows the page, because mail
 * scanners and chat previews open links too; the page then hands its token in here, and that uses it up.
 *
 *     link, 5 minutes, works once ──► session, 7 days ──► signed out, expired, or not used for 12 hours
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import Type from "typebox";
import { LIMITS } from "../domain/limits.ts";
import { type Problem, problem } from "../domain/problem.ts";
import { createValidator } from "../events/validate.ts";
import { sendProblem } from "../http/problem-response.ts";
import { createTryCounter } from "../http/try-counter.ts";
import { minutesMs } from "../lib/duration.ts";
import type { OpenSessionResult } from "../store/dashboard-verbs.ts";
import type { DashboardContext } from "./context.ts";
import { csrfTokenOf, originFault } from "./csrf.ts";
import { findSession, letIn } from "./guard.ts";
import { readBody } from "./read-call.ts";
import { type Session } from "./session.ts";
import { sessionAnswer } from "./session-answer.ts";
import { clearedSessionCookie, hashToken, isToken, newSessionToken, sessionCookie } from "./session-cookie.ts";

const BAD_LINKS_MAX = 20;
const BAD_LINKS_WINDOW_MS = minutesMs(1);

const tokenSchema = Type.Object({ token: Type.String({ maxLength: 256 }) }, { additionalProperties: false });
const checkToken = createValidator(tokenSchema);

export interface SignInOptions {
  /** Told when a session was ended, so that its live streams end with it. */
  readonly onEnded: (session: Session) => void;
}

export function registerSignIn(scope: FastifyInstance, ctx: DashboardContext, { onEnded }: SignInOptions): void {
  const { clock, store, publicUrl } = ctx.accounts;
  const isTooMany = createTryCounter({ clock, triesMax: BAD_LINKS_MAX, windowMs: BAD_LINKS_WINDOW_MS });

  scope.post("/sign-in", async (request, reply) => {
    const foreign = originFault(request, publicUrl());
    if (foreign !== null) return sendProblem(reply, foreign);
    const body = readBody(request, checkToken);
    if (!body.ok) return sendProblem(reply, body.error);
    const token = newSessionToken(ctx.accounts.random);
    const opened = await openSession(ctx, { linkToken: (body.value as { token: string }).token, token });
    if (opened.kind !== "opened") {
      const isFlood = opened.kind === "unknown" && isTooMany(request.ip);
      return sendProblem(reply, isFlood ? tooManyBadLinks : REFUSALS[opened.kind]);
    }
    await endEarlier(request);
    const { accountId, person, role, expiresAtMs } = opened.session;
    const by = { person, role };
    const session = { accountId, by, expiresAtMs, csrfToken: csrfTokenOf(token), hash: hashToken(token) };
    ctx.live.configurationChanged(accountId);
    reply.header("set-cookie", sessionCookie(token, publicUrl(), expiresAtMs - clock.nowMs()));
    return await answerWithSession(reply, session);
  });

  scope.post("/sign-out", async (request, reply) => {
    const session = await letIn(ctx.accounts, request, "viewer");
    if (!session.ok) return sendProblem(reply, session.error);
    await end(session.value);
    return reply.header("set-cookie", clearedSessionCookie(publicUrl())).code(204).send();
  });

  /** Who signs in again, perhaps as somebody else, leaves no session behind that nobody can end. */
  async function endEarlier(request: FastifyRequest): Promise<void> {
    const earlier = await findSession(ctx.accounts, request);
    if (earlier !== null) await end(earlier);
  }

  async function end(session: Session): Promise<void> {
    await store.endSession({ sessionHash: session.hash });
    onEnded(session);
  }

  async function answerWithSession(reply: FastifyReply, session: Session): Promise<FastifyReply> {
    const answer = await sessionAnswer(ctx, session);
    return answer.ok ? reply.send(answer.value) : sendProblem(reply, answer.error);
  }
}

interface Opening {
  readonly linkToken: string;
  /** Of the session to open. */
  readonly token: string;
}

async function openSession(ctx: DashboardContext, { linkToken, token }: Opening): Promise<OpenSessionResult> {
  if (!isToken(linkToken)) return { kind: "unknown" };
  const nowMs = ctx.accounts.clock.nowMs();
  return await ctx.accounts.store.openSession({
    tokenHash: hashToken(linkToken),
    sessionHash: hashToken(token),
    expiresAtMs: nowMs + LIMITS.sessionMs,
    nowMs,
  });
}

/** What to do next is in each of them: whoever reads this stands before a closed door. */
const ASK_AGAIN = "Ask for a new one: your product makes it, and so does `bellwire dashboard-link`.";

const REFUSALS: Readonly<Record<Exclude<OpenSessionResult["kind"], "opened">, Problem>> = {
  unknown: problem(
    "link_unknown",
    `This is not a sign-in link of this service. Check that it was copied whole. ${ASK_AGAIN}`,
  ),
  used: problem(
    "link_used",
    `This sign-in link has been used already: each works once. If it was not you, tell an owner. ${ASK_AGAIN}`,
  ),
  expired: problem("link_expired", `This sign-in link has expired: each works for five minutes. ${ASK_AGAIN}`),
};

const tooManyBadLinks: Problem = problem(
  "too_many_bad_links",
  `Too many links from your address did not exist. Wait a minute. ${ASK_AGAIN}`,
);
