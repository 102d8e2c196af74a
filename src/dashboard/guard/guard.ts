/**
 * The one place where a call is let in: who is it, did our own page make it, and may this role do that. It decides from
 * the call's head, before a byte of its body is read. Everything behind it works for `session.accountId`
 * alone.
 */
import { createHmac, hash, timingSafeEqual } from "node:crypto";
import type { FastifyRequest } from "fastify";
import { type AccountsContext, accountSuspended } from "../../accounts/context.ts";
import { type Problem, problem } from "../../domain/problem.ts";
import type { Role } from "../../domain/account.ts";
import { hashToken } from "../../domain/token.ts";
import type { AuthHook } from "../../http/auth-hook.ts";
import { callerAddress } from "../../http/client-address.ts";
import { assert } from "../../lib/assert.ts";
import { readSessionCookie, type Session } from "./session.ts";

type GuardContext = Pick<AccountsContext, "store" | "clock" | "publicUrl">;

export interface Guard {
  /** The auth hook of a route for people with this role, and owners. */
  authHookFor(role: Role): AuthHook;
  /** Who makes a call that such an auth hook has let in. */
  getSession(request: FastifyRequest): Session;
}

export function createGuard(ctx: GuardContext): Guard {
  const letIn = new WeakMap<FastifyRequest, Session>();
  return {
    authHookFor: (role) => async (request) => {
      const found = await findSession(ctx, request);
      if (found === null) return notSignedIn;
      const { session, isSuspended } = found;
      const refusal = changesNothing(request) ? foreignReading(request) : foreignCall(ctx, request, session);
      if (refusal !== null) return refusal;
      if (role === "owner" && session.by.role !== "owner") return ownersOnly;
      if (role === "owner" && isSuspended && !changesNothing(request)) return accountSuspended;
      letIn.set(request, session);
      return { knownAs: session.accountId };
    },
    getSession(request) {
      const session = letIn.get(request);
      assert(
        session !== undefined,
        `${request.method} ${request.routeOptions.url} has no authHook that knows sessions`,
      );
      return session;
    },
  };
}

/** `null` without a cookie, and when its session is unknown, ended or expired: callers need no difference. */
async function findSession(
  ctx: GuardContext,
  request: FastifyRequest,
): Promise<{ readonly session: Session; readonly isSuspended: boolean } | null> {
  const token = readSessionCookie(request.headers.cookie, ctx.publicUrl());
  if (token === null) return null;
  const sessionHash = hashToken(token);
  const stored = await ctx.store.loadSession({ sessionHash, isUse: true, nowMs: ctx.clock.nowMs() });
  if (stored === null) return null;
  const { id, accountId, person, role, expiresAtMs, isSuspended } = stored;
  const by = { person, role, address: callerAddress(request) };
  const session = { id, accountId, by, expiresAtMs, csrfToken: deriveCsrfToken(token), hash: sessionHash };
  return { session, isSuspended };
}

const changesNothing = ({ method }: FastifyRequest): boolean => method === "GET" || method === "HEAD";

/** Another site that makes a browser ask could read nothing, but the cookie of a frame would come with it. */
const foreignReading = ({ headers: { "sec-fetch-site": site = "none" } }: FastifyRequest): Problem | null =>
  site === "none" || site === "same-origin" ? null : foreign;

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

/*
 * Whether a call that changes something was made by our own page. Three things guard it: the cookie is
 * `SameSite=Strict` (in a frame it is kept for the site around it alone), the browser says where the call comes from,
 * and a token comes with it that only a page of this origin can read.
 */

const CSRF_HEADER = "x-bellwire-csrf";

/** Derived from the session's token, so that nothing more is stored; the token cannot be computed from it. */
export function deriveCsrfToken(sessionToken: string): string {
  return createHmac("sha256", sessionToken).update("bellwire csrf token").digest("base64url");
}

/** `null`, or why the call is refused. */
function csrfFault(request: FastifyRequest, csrfToken: string): Problem | null {
  const given = request.headers[CSRF_HEADER];
  if (typeof given === "string" && isSame(given, csrfToken)) return null;
  const what = given === undefined ? `There is no ${CSRF_HEADER} header.` : `The ${CSRF_HEADER} header is out of date.`;
  return problem("foreign_origin", `${what} Load the page again.`);
}

/**
 * Browsers send `Sec-Fetch-Site` over https and to this machine, and `Origin` with everything that changes something.
 * `publicUrl` counts beside the request's own `Host`, which a proxy may have rewritten. Where people use https, a page
 * of the same host without it is foreign: an attacker on the way can write it.
 */
export function originFault({ headers }: FastifyRequest, publicUrl: string): Problem | null {
  const site = headers["sec-fetch-site"];
  if (site !== undefined) return site === "same-origin" ? null : foreign;
  const { origin } = headers;
  if (origin === undefined) return foreign;
  const ours = new URL(publicUrl);
  if (origin === ours.origin) return null;
  const isDowngraded = ours.protocol === "https:" && !origin.startsWith("https:");
  return !isDowngraded && parseHost(origin) === headers.host?.toLowerCase() ? null : foreign;
}

const foreign: Problem = problem(
  "foreign_origin",
  "Only the dashboard's own page may call this. If a proxy stands in front, BELLWIRE_PUBLIC_URL must be the address " +
    "that people see.",
);

/** `null` for `Origin: null`, which sandboxed frames and files send. */
const parseHost = (origin: string): string | null => URL.parse(origin)?.host ?? null;

/** In constant time; digests have the one length that it needs. */
const isSame = (given: string, expected: string): boolean => timingSafeEqual(digest(given), digest(expected));
const digest = (text: string): Buffer => hash("sha256", text, "buffer");
