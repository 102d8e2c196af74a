/**
 * The one place where a call is let in: who is it, did our own page make it, and may this role do that. Everything
 * behind it works for `session.accountId` and for nobody else.
 */
import type { FastifyRequest } from "fastify";
import { type Problem, type Result, ok, problem, refuse } from "../domain/problem.ts";
import type { Role } from "../domain/role.ts";
import type { AccountsContext } from "../accounts/context.ts";
import { csrfFault, csrfTokenOf, originFault } from "./csrf.ts";
import type { Session } from "./session.ts";
import { hashToken, readSessionCookie } from "./session-cookie.ts";

type GuardContext = Pick<AccountsContext, "store" | "clock" | "publicUrl">;

/** The session that a request belongs to, if what it asks for may be done in it. */
export async function letIn(ctx: GuardContext, request: FastifyRequest, role: Role): Promise<Result<Session>> {
  const session = await findSession(ctx, request);
  if (session === null) return refuse(notSignedIn);
  const refusal = changesNothing(request) ? null : foreignCall(ctx, request, session);
  if (refusal !== null) return refuse(refusal);
  return role === "owner" && session.by.role !== "owner" ? refuse(ownersOnly) : ok(session);
}

/** `null` without a cookie, and when its session is unknown, ended or expired: nobody needs to tell these apart. */
export async function findSession(ctx: GuardContext, { headers }: FastifyRequest): Promise<Session | null> {
  const token = readSessionCookie(headers.cookie, ctx.publicUrl());
  if (token === null) return null;
  const sessionHash = hashToken(token);
  const stored = await ctx.store.loadSession({ sessionHash, isUse: true, nowMs: ctx.clock.nowMs() });
  if (stored === null) return null;
  const { id, accountId, person, role, expiresAtMs } = stored;
  return { id, accountId, by: { person, role }, expiresAtMs, csrfToken: csrfTokenOf(token), hash: sessionHash };
}

const changesNothing = ({ method }: FastifyRequest): boolean => method === "GET" || method === "HEAD";

const foreignCall = (ctx: GuardContext, request: FastifyRequest, session: Session): Problem | null =>
  originFault(request, ctx.publicUrl()) ?? csrfFault(request, session.csrfToken);

const notSignedIn: Problem = problem(
  "not_signed_in",
  "You are not signed in, or your session has ended. Open a new sign-in link: your product makes one, and so does " +
    "`bellwire dashboard-link`.",
);

const ownersOnly: Problem = problem(
  "not_allowed",
  "You are signed in as a viewer, and only owners can do this. Ask an owner, or for a sign-in link that makes you one.",
);
