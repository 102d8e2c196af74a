/**
 * Whether a call that changes something was made by our own page. Three things guard it: the cookie is
 * `SameSite=Strict`, the browser says where the call comes from, and a token comes with it that only a page of this
 * origin can read.
 */
import { createHmac, hash, timingSafeEqual } from "node:crypto";
import type { FastifyRequest } from "fastify";
import { type Problem, problem } from "../../domain/problem.ts";

export const CSRF_HEADER = "x-bellwire-csrf";

/** Derived from the session's token, so that nothing more is stored; the token cannot be computed from it. */
export function deriveCsrfToken(sessionToken: string): string {
  return createHmac("sha256", sessionToken).update("bellwire csrf token").digest("base64url");
}

/** `null`, or why the call is refused. */
export function csrfFault(request: FastifyRequest, csrfToken: string): Problem | null {
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
