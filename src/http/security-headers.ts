/**
 * The headers of every answer to a browser: the page may load from this service and nowhere else, may be framed by
 * those whom the operator lists, and reveals its address to no other site. None of them depends on the answer, so no
 * route can forget one.
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

export type SecurityHeaders = Readonly<Record<string, string>>;

/** Those of the page where other origins may frame it; each is one as `URL` writes it. */
export function framedBy(origins: readonly string[]): SecurityHeaders {
  if (origins.length === 0) return SECURITY_HEADERS;
  // It has no form for several origins, and would forbid them all.
  const { "x-frame-options": _, ...headers } = SECURITY_HEADERS;
  const policy = CONTENT_SECURITY_POLICY.replace("frame-ancestors 'none'", `frame-ancestors ${origins.join(" ")}`);
  return { ...headers, "content-security-policy": policy };
}

/** Puts them on every answer of this scope, refusals included. */
export function addSecurityHeaders(scope: FastifyInstance, headers: SecurityHeaders = SECURITY_HEADERS): void {
  scope.addHook("onRequest", (request, reply, done) => {
    reply.headers(securityHeadersFor(request, headers));
    done();
  });
}

/** For answers outside of such a scope, such as the page at unknown addresses. */
export function securityHeadersFor(request: FastifyRequest, headers: SecurityHeaders): SecurityHeaders {
  const isOverTls = /^https\s*(?:,|$)/i.test(String(request.headers["x-forwarded-proto"]));
  const kept = isOverTls ? { ...headers, "strict-transport-security": ONE_YEAR } : headers;
  return isOverTls || isThisMachine(request) ? { ...kept, "cross-origin-opener-policy": "same-origin" } : kept;
}

/** Of this host alone: what else its owner serves below other names is not ours to say. */
const ONE_YEAR = "max-age=31536000";

/** Elsewhere, as over plain http on a network address, browsers ignore the opener policy and log an error about it. */
const isThisMachine = ({ hostname }: FastifyRequest): boolean => /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
