/**
 * The headers of every answer to a browser: the page may load from this service and nowhere else, may not be framed,
 * and reveals its address to no other site. None of them depends on the answer, so no route can forget one.
 */
import type { FastifyInstance, FastifyRequest } from "fastify";

/** The page has neither inline scripts nor inline styles; its style sheet draws with `data:` images. */
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

/** For answers outside of such a scope, such as the page at unknown addresses. */
export function securityHeadersFor(request: FastifyRequest): Readonly<Record<string, string>> {
  if (!isTrustworthy(request)) return SECURITY_HEADERS;
  return { ...SECURITY_HEADERS, "cross-origin-opener-policy": "same-origin" };
}

/** Elsewhere, as over plain http on a network address, browsers ignore that header and log an error about it. */
function isTrustworthy({ hostname, headers }: FastifyRequest): boolean {
  return headers["x-forwarded-proto"] === "https" || /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
}
