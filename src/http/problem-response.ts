/** Problems as HTTP answers: RFC 9457 documents with our stable `code`, and `Retry-After` where waiting helps. */
import type { FastifyReply } from "fastify";
import { PROBLEMS, type Problem, type ProblemCode } from "../domain/problem.ts";

export const PROBLEM_TYPE = "application/problem+json";

/** Guesses. The time that a caller should wait before it tries again, for the codes where trying again can help. */
const RETRY_AFTER_SECONDS: Partial<Record<ProblemCode, number>> = {
  store_unavailable: 5,
  held: 5,
  shutting_down: 5,
  too_many_bad_keys: 60,
  too_many_bad_links: 60,
  too_many_reads: 1,
  too_many_bad_tokens: 60,
  too_many_pulls: 5,
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

export const problemText = (refusal: Problem): string => JSON.stringify(problemDocument(refusal));

/** Beside the content's type. */
export function problemHeaders({ code }: Problem): Record<string, string> {
  const headers: Record<string, string> = {};
  const retryAfter = RETRY_AFTER_SECONDS[code];
  if (retryAfter !== undefined) headers["retry-after"] = String(retryAfter);
  const challenge = CHALLENGES[code];
  if (challenge !== undefined) headers["www-authenticate"] = challenge;
  // For this call alone: no cache may keep it, and no browser may guess another type.
  return { ...headers, "cache-control": "no-store", "x-content-type-options": "nosniff" };
}

/** A challenge is required with 401 (RFC 9110 §15.5.2). */
const CHALLENGES: Partial<Record<ProblemCode, string>> = {
  unauthorized: 'Bearer realm="bellwire"',
  pull_token_unknown: 'Bearer realm="bellwire pull"',
  // No scheme is registered for cookies; browsers ignore a scheme that they do not know.
  not_signed_in: 'SignInLink realm="bellwire dashboard"',
};

export const sendProblem = (reply: FastifyReply, refusal: Problem): FastifyReply =>
  reply
    .headers(problemHeaders(refusal))
    .code(PROBLEMS[refusal.code].status)
    .type(PROBLEM_TYPE)
    .send(problemText(refusal));
