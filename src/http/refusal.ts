/** Turns errors that reading a request throws into the problem that the caller gets. */
import type { FastifyError } from "fastify";
import { type Problem, type ProblemCode, problem } from "../domain/problem.ts";
import { AccountAway, StoreUnavailable } from "../store/contract/store.ts";

const FASTIFY_CODES: Readonly<Record<string, readonly [ProblemCode, string]>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: [
    "body_too_large",
    "The body is larger than this call takes; docs/secure.md lists the limits.",
  ],
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: ["invalid_request", "The body is not as long as Content-Length says."],
  FST_ERR_CTP_INVALID_MEDIA_TYPE: [
    "unsupported_media_type",
    "Send `content-type: application/json`, or `application/x-ndjson` where many records are taken.",
  ],
};

/** `error` is Fastify's, the store's, or a bug's. */
export function toProblem(error: unknown): Problem {
  if (error instanceof AccountAway) {
    const what = "The data of this account cannot be reached at the moment; it comes back by itself.";
    return problem("store_unavailable", `${what} Send this request again in a few seconds: repeating is safe.`);
  }
  if (error instanceof StoreUnavailable) {
    return problem(
      "store_unavailable",
      "The store could not confirm this request. Send it again in a few seconds: repeating is safe.",
    );
  }
  const { code = "", statusCode = 500 } = (error ?? {}) as Partial<FastifyError>;
  const known = FASTIFY_CODES[code];
  if (known !== undefined) return problem(...known);
  if (statusCode >= 400 && statusCode < 500) {
    return problem("invalid_request", "The request could not be read. Check its address, headers and body.");
  }
  return problem("internal_error", "The error was logged on our side. Sending the request again is safe.");
}
