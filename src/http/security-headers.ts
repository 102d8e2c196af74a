/**
 * What every answer to a browser carries: the page may load from this service and nowhere else, may not be framed, and
 * tells no other site where it was. None of it depends on the answer, so that no route can forget one.
 */
import type { FastifyInstance, FastifyRequest } from "fastify";

/** The page has neither inline scripts nor inline styles; `data:` images are what its style sheet draws with. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'self'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "object-src 'none'",
  "base-uri 'self'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join("; ");

export const SECURITY_HEADERS = {
  "content-security-policy": CONTENT_SECURITY_POLICY,
  "x-content-type-options": "nosniff",
  // Addresses carry ids, and one of them a sign-in token.
  "referrer-policy": "no-referrer",
  "cross-origin-resource-policy": "same-origin",
  // For browsers that do not know `frame-ancestors`.
  "x-frame-options": "DENY",
  "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
} as const;

/** Puts them on every answer of this scope, refusals included. */
export function addSecurityHeaders(scope: FastifyInstance): void {
  scope.addHook("onRequest", (request, reply, done) => {
    reply.headers(securityHeadersFor(request));
    done();
  });
}

/** For answers outside of such a scope, such as the page at addresses where nothing is. */
export function securityHeadersFor(request: FastifyRequest): Readonly<Record<string, string>> {
  if (!isTrustworthy(request)) return SECURITY_HEADERS;
  return { ...SECURITY_HEADERS, "cross-origin-opener-policy": "same-origin" };
}

/** Elsewhere, as over plain http on a network address, browsers ignore that header and write an error about it. */
function isTrustworthy({ hostname, headers }: FastifyRequest): boolean {
  return headers["x-forwarded-proto"] === "https" || /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
}
