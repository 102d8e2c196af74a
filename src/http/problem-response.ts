/** Problems as HTTP answers: RFC 9457 documents with our stable `code`, and `Retry-After` where waiting helps. */
import type { FastifyReply } from "fastify";
import { PROBLEMS, type Problem, type ProblemCode } from "../domain/problem.ts";

export const PROBLEM_TYPE = "application/problem+json";

/** Guesses. The time that a caller should wait before it tries again, for the codes where trying again can help. */
const RETRY_AFTER_SECONDS: Partial<Record<ProblemCode, number>> = {
  store_unavailable: 5,
  shutting_down: 5,
  too_many_bad_keys: 60,
  too_many_bad_links: 60,
  too_many_streams: 60,
  too_many_tests: 60,
  too_many_checks: 60,
  too_many_exports: 60,
};

/** The document's members. `type` is a stable name for the code, not an address to open. */
export function problemDocument(refusal: Problem): Record<string, unknown> {
  const { status, title } = PROBLEMS[refusal.code];
  const { code, detail, errors } = refusal;
  const document = { type: `urn:bellwire:problem:${code}`, title, status, code, detail };
  return errors === undefined ? document : { ...document, errors };
}

export function sendProblem(reply: FastifyReply, refusal: Problem): FastifyReply {
  const retryAfter = RETRY_AFTER_SECONDS[refusal.code];
  if (retryAfter !== undefined) reply.header("retry-after", String(retryAfter));
  // A challenge is required with 401 (RFC 9110 §15.5.2).
  if (refusal.code === "unauthorized") reply.header("www-authenticate", 'Bearer realm="bellwire"');
  if (refusal.code === "forward_ended") reply.header("www-authenticate", 'Bearer realm="bellwire forward"');
  // No scheme is registered for cookies; browsers ignore a scheme that they do not know.
  if (refusal.code === "not_signed_in") reply.header("www-authenticate", 'SignInLink realm="bellwire dashboard"');
  // For this call alone: no cache may keep it, and no browser may guess another type.
  reply.headers({ "cache-control": "no-store", "x-content-type-options": "nosniff" });
  return reply
    .code(PROBLEMS[refusal.code].status)
    .type(PROBLEM_TYPE)
    .send(JSON.stringify(problemDocument(refusal)));
}
