/**
 * Signing in and out: the two calls that write the session's cookie. Opening a link only shows the page, because mail
 * scanners and chat previews open links too; its button hands the token in here, and that uses it up.
 *
 *     link, 5 minutes, works once ──► session, 7 days ──► signed out (here or by somebody else), expired, or not used
 *                                                         for 12 hours
 */
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { alertPlanGate, typePlanGate } from "../../accounts/context.ts";
import { ALERT_AUDIENCES } from "../../domain/alert.ts";
import type { Plan } from "../../domain/account.ts";
import { newId } from "../../domain/id.ts";
import { FORM_LIMITS, LIMITS } from "../../domain/limits.ts";
import { type Problem, problem, PROBLEMS, type Result } from "../../domain/problem.ts";
import { ok } from "../../lib/result.ts";
import { hashToken, isToken, newToken } from "../../domain/token.ts";
import type { EventType } from "../../events/event-type.ts";
import { createValidator } from "../../events/validate.ts";
import type { AuthHook } from "../../http/auth-hook.ts";
import { callerAddress } from "../../http/client-address.ts";
import { sendProblem } from "../../http/problem-response.ts";
import { toProblem } from "../../http/refusal.ts";
import { createTryCounter } from "../../http/try-counter.ts";
import { minutesMs } from "../../lib/duration.ts";
import { VERSION } from "../../lib/version.ts";
import type { EndedSession, OpenSessionResult } from "../../store/contract/people.ts";
import { StoreUnavailable } from "../../store/contract/store.ts";
import type { DashboardContext } from "../call/context.ts";
import { freshView } from "../call/fresh-view.ts";
import { LINK_BYTES_MAX, readBody, type Handlers } from "../call/operation.ts";
import type { EventTypeWords, SessionAnswer } from "../contract/session.ts";
import type { FormOf } from "../../domain/form.ts";
import { signInForm } from "../forms/bodies.ts";
import { findUses } from "./uses.ts";
import { deriveCsrfToken, type Guard, originFault } from "../guard/guard.ts";
import { clearedSessionCookies, readSessionCookie, type Session, sessionCookies } from "../guard/session.ts";

const BAD_LINKS_MAX = 20;
const BAD_LINKS_WINDOW_MS = minutesMs(1);

const checkToken = createValidator(signInForm);

export function registerSignIn(scope: FastifyInstance, ctx: DashboardContext, guard: Guard): void {
  const { clock, store, publicUrl } = ctx.accounts;
  const { mayBeFramed } = ctx;
  const isTooMany = createTryCounter({ clock, triesMax: BAD_LINKS_MAX, windowMs: BAD_LINKS_WINDOW_MS });

  /** Open to everybody on our own page: the token in the body names the person. */
  const authHook: AuthHook = (request) => originFault(request, publicUrl()) ?? "unauthenticated";

  const signIn = { config: { authHook }, bodyLimit: LINK_BYTES_MAX, errorHandler: refuseUnread };
  scope.post("/sign-in", signIn, async (request, reply) => {
    const body = readBody(request, checkToken);
    if (!body.ok) return refuseTry(request, reply, body.error);
    const { token: linkToken, isFramed = false } = body.value as FormOf<typeof signInForm>;
    const held = readSessionCookie(request.headers.cookie, publicUrl());
    const address = callerAddress(request);
    const { opened, token } = await openSession(ctx, { linkToken, held, address });
    if (opened.kind === "unknown") return refuseTry(request, reply, REFUSALS.unknown);
    if (opened.kind !== "opened") return sendProblem(reply, REFUSALS[opened.kind]);
    for (const ended of opened.ended) ctx.live.sessionsEnded(ended.accountId, [ended.id]);
    const { id, accountId, person, role, expiresAtMs } = opened.session;
    const by = { person, role, address };
    const session = { id, accountId, by, expiresAtMs, csrfToken: deriveCsrfToken(token), hash: hashToken(token) };
    ctx.live.configurationChanged(accountId);
    const place = { publicUrl: publicUrl(), mayBeFramed, isFramed };
    reply.header("set-cookie", sessionCookies(token, expiresAtMs - clock.nowMs(), place));
    return await answerWithSession(reply, session);
  });

  scope.post("/sign-out", { config: { authHook: guard.authHookFor("viewer") } }, async (request, reply) => {
    const { accountId, id, hash } = guard.getSession(request);
    await store.endSession({ sessionHash: hash, address: callerAddress(request), nowMs: clock.nowMs() });
    ctx.live.sessionsEnded(accountId, [id]);
    const gone = clearedSessionCookies({ publicUrl: publicUrl(), mayBeFramed });
    return reply.header("set-cookie", gone).code(204).send();
  });

  /** Every try without a link that there is counts, so that rubbish is no cheaper way to keep the service busy. */
  function refuseTry(request: FastifyRequest, reply: FastifyReply, why: Problem): FastifyReply {
    return sendProblem(reply, isTooMany(callerAddress(request)) ? REFUSALS.tooMany : why);
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
  /** The network address of the browser. */
  readonly address: string;
}

/** A browser has one session, in one account: a person who signs in again leaves none behind that they cannot end. */
async function openSession(ctx: DashboardContext, { linkToken, held, address }: Opening) {
  if (!isToken(linkToken)) return { opened: { kind: "unknown" } as const, token: "" };
  const { clock, random, store } = ctx.accounts;
  const nowMs = clock.nowMs();
  const token = newToken(random);
  const opened = await store.openSession({
    tokenHash: hashToken(linkToken),
    sessionHash: hashToken(token),
    sessionId: newId("ses", nowMs, random),
    replacedHash: held === null ? null : hashToken(held),
    expiresAtMs: nowMs + LIMITS.sessionMs,
    address,
    nowMs,
  });
  if (opened.kind !== "opened" || held === null) return { opened, token };
  const elsewhere = await endElsewhere(ctx, hashToken(held), address);
  return { opened: { ...opened, ended: [...opened.ended, ...elsewhere] }, token };
}

/**
 * The session that was held may be of an account in another shard, where the sign-in has not ended it. While that shard
 * is away it cannot be ended, and cannot be used either. Its cookie is replaced, so it ends unused; the account that
 * was signed in to must not wait for that.
 */
async function endElsewhere(
  { accounts }: DashboardContext,
  sessionHash: string,
  address: string,
): Promise<readonly EndedSession[]> {
  const { clock, store } = accounts;
  try {
    return await store.endSession({ sessionHash, isReplaced: true, address, nowMs: clock.nowMs() });
  } catch (error) {
    if (error instanceof StoreUnavailable) return [];
    throw error;
  }
}

const HOW_TO_GET_ONE = "Ask for a new one: your product makes it, and so does the command bellwire dashboard-link.";

const REFUSALS = toOpeningRefusals();

/* Who is signed in, to what, and what the page needs to know before it draws anything. */

export const sessionHandlers = {
  "GET /session": (ctx, { session }) => buildSessionAnswer(ctx, session),
} satisfies Handlers;

async function buildSessionAnswer(ctx: DashboardContext, session: Session): Promise<Result<SessionAnswer>> {
  const { by, csrfToken, expiresAtMs } = session;
  const view = await freshView(ctx, session);
  if (!view.ok) return view;
  const { account, isSuspended, webhooks } = view.value;
  const { types } = ctx.accounts;
  return ok({
    account,
    isSuspended,
    isHeld: ctx.isHeld(),
    person: by.person,
    role: by.role,
    csrfToken,
    expiresAtMs,
    alertWebhooksGate: alertPlanGate(account.plan)?.detail ?? null,
    upgradeUrl: ctx.upgradeUrl,
    hasPlayground: ctx.hasPlayground,
    hasWebhooks: types.declarations.length > 0 || webhooks.length > 0,
    uses: await findUses(ctx, view.value),
    hasMail: ctx.hasMail,
    version: VERSION,
    signatureHeader: ctx.accounts.signatureHeader,
    limits: { ...FORM_LIMITS, httpsOnly: ctx.httpsOnly },
    audiences: ALERT_AUDIENCES,
    eventTypes: types.all.map((type) => toWords(type, account.plan)),
  });
}

function toWords(event: EventType, plan: Plan): EventTypeWords {
  const { type, title, noun, unnamed, page, owners, description, builtIn } = event;
  const planGate = typePlanGate(event, plan)?.detail ?? null;
  // A built-in type's description speaks of the one alert or assistant that sends it.
  const hint = builtIn === null ? toHint(description) : `Every ${builtIn.record.toLowerCase()}.`;
  return { type, title, noun, unnamed, page, owners, hint, planGate };
}

/** Guess, at two lines of a list: an installation may have 200 types, and this answer comes before every page. */
const HINT_CHARS_MAX = 160;

function toHint(description: string): string {
  const [sentence = description] = /^.*?[.!?](?=\s|$)/s.exec(description) ?? [];
  return sentence.length <= HINT_CHARS_MAX ? sentence : `${sentence.slice(0, HINT_CHARS_MAX - 1)}…`;
}

/*
 * What a person is told whose sign-in link opens nothing. Each sentence says what to do next, because its reader stands
 * before a closed door.
 */

type Refusal = Exclude<OpenSessionResult["kind"], "opened">;

interface OpeningRefusals extends Readonly<Record<Refusal, Problem>> {
  /** Too many tries from one address named nothing that there is. */
  readonly tooMany: Problem;
}

function toOpeningRefusals(): OpeningRefusals {
  const say = (code: Problem["code"], sentence: string): Problem => problem(code, `${sentence} ${HOW_TO_GET_ONE}`);
  return {
    unknown: say("link_unknown", "This is not a sign-in link of this service. Check that it was copied whole."),
    used: say(
      "link_used",
      "This sign-in link has been used already: each works once. If it was not you, tell an owner of the account.",
    ),
    ended: say(
      "link_expired",
      "This sign-in link does not work any more: its person was signed out after it was made.",
    ),
    expired: say("link_expired", "This sign-in link has expired: each works for five minutes."),
    tooMany: say(
      "too_many_bad_links",
      "Too many tries from your address came without a sign-in link that exists. Wait a minute.",
    ),
  };
}
