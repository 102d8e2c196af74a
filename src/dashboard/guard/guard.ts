/**
 * The one place where a call is let in: who is it, did our own page make it, and may this role do that. It decides from
 * the call's head, before a byte of its body is read. Everything behind it works for `session.accountId`
 * alone.
 */
import type { FastifyRequest } from "fastify";
import { type Problem, problem } from "../../domain/problem.ts";
import type { Role } from "../../domain/role.ts";
import { hashToken } from "../../domain/token.ts";
import type { AccountsContext } from "../../accounts/context.ts";
import type { Door } from "../../http/door.ts";
import { assert } from "../../lib/assert.ts";
import { csrfFault, deriveCsrfToken, originFault } from "./csrf.ts";
import type { Session } from "./session.ts";
import { readSessionCookie } from "./session-cookie.ts";

type GuardContext = Pick<AccountsContext, "store" | "clock" | "publicUrl">;

export interface Guard {
  /** The door of a route for people with this role, and owners. */
  doorFor(role: Role): Door;
  /** Who makes a call that such a door has let in. */
  getSession(request: FastifyRequest): Session;
}

export function createGuard(ctx: GuardContext): Guard {
  const letIn = new WeakMap<FastifyRequest, Session>();
  return {
    doorFor: (role) => async (request) => {
      const session = await findSession(ctx, request);
      if (session === null) return notSignedIn;
      const refusal = changesNothing(request) ? null : foreignCall(ctx, request, session);
      if (refusal !== null) return refusal;
      if (role === "owner" && session.by.role !== "owner") return ownersOnly;
      letIn.set(request, session);
      return "known";
    },
    getSession(request) {
      const session = letIn.get(request);
      assert(session !== undefined, `${request.method} ${request.routeOptions.url} has no door that knows sessions`);
      return session;
    },
  };
}

/** `null` without a cookie, and when its session is unknown, ended or expired: callers need no difference. */
async function findSession(ctx: GuardContext, { headers }: FastifyRequest): Promise<Session | null> {
  const token = readSessionCookie(headers.cookie, ctx.publicUrl());
  if (token === null) return null;
  const sessionHash = hashToken(token);
  const stored = await ctx.store.loadSession({ sessionHash, isUse: true, nowMs: ctx.clock.nowMs() });
  if (stored?.purpose !== "dashboard") return null;
  const { id, accountId, person, role, expiresAtMs } = stored;
  return { id, accountId, by: { person, role }, expiresAtMs, csrfToken: deriveCsrfToken(token), hash: sessionHash };
}

const changesNothing = ({ method }: FastifyRequest): boolean => method === "GET" || method === "HEAD";

const foreignCall = (ctx: GuardContext, request: FastifyRequest, session: Session): Problem | null =>
  originFault(request, ctx.publicUrl()) ?? csrfFault(request, session.csrfToken);

const notSignedIn: Problem = problem(
  "not_signed_in",
  "You are not signed in, or your session has ended. Open a new sign-in link: your product makes one, and so does " +
    "the command bellwire dashboard-link.",
);

const ownersOnly: Problem = problem(
  "not_allowed",
  "You are signed in as a viewer, and only owners can do this. Ask an owner, or for a sign-in link that makes you one.",
);
